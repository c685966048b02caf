"""A model judges an answer: is it correct, and do its citations carry what it says?

Correctness is a number from 0 to 1 against the golden answer. Citation precision is the share of
citations that support the statement they stand behind, citation recall the share of statements that
a citation supports. Without a model that can write, nothing is judged, and the result says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from pydantic import BaseModel, Field

from agents.prompts import agent_prompt
from core.errors import ProjectError
from core.jobs.handlers import JobContext
from knowledge.enrich.asking import Wish, no_model_reason
from knowledge.evaluation.asking import ask_model
from knowledge.models import EvaluationResult, EvaluationRun
from providers.contracts.errors import ModelError

_MOST_CHARACTERS = 6_000
_PASSAGE_CHARACTERS = 2_000
_MOST_PASSAGES = 20
_ANSWER_TOKENS = 500


class _Judged(BaseModel):
    correctness: float | None = Field(default=None, ge=0, le=1)
    statements: int = Field(default=0, ge=0, le=1_000)
    supported_statements: int = Field(default=0, ge=0, le=1_000)
    supporting_citations: list[int] = Field(default_factory=list, max_length=200)
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the judge said."""

    metrics: dict[str, float] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)
    """`model` and `reason`, or the `problem` that kept it from judging."""


def judge(
    context: JobContext,
    run: EvaluationRun,
    row: EvaluationResult,
    cited: Sequence[tuple[int, str]],
) -> Verdict:
    """Judge an answer by its marker-and-passage citations; a judge that fails costs no answer.

    Raises:
        JobCancelled: somebody stopped it.
    """
    if problem := no_model_reason(run.space_id):
        return Verdict(stored={"problem": problem})
    wish = Wish(
        instructions=agent_prompt("judge").render(),
        material=_material(row, cited),
        purpose="judge",
        max_tokens=_ANSWER_TOKENS,
    )
    try:
        found, model = ask_model(context, run, wish, _Judged)
    except ModelError as error:
        return Verdict(stored={"problem": error.message})
    except ProjectError as refusal:
        return Verdict(stored={"problem": refusal.message})
    return Verdict(
        metrics=_metrics(found, row, cited),
        stored={"model": model, "reason": found.reason[:1_000]},
    )


def _metrics(
    found: _Judged, row: EvaluationResult, cited: Sequence[tuple[int, str]]
) -> dict[str, float]:
    metrics: dict[str, float] = {}
    if row.reference and found.correctness is not None:
        metrics["correctness"] = found.correctness
    markers = {marker for marker, _text in cited}
    if markers:
        metrics["citation_precision"] = len(markers & set(found.supporting_citations)) / len(
            markers
        )
    if found.statements:
        supported = min(found.supported_statements, found.statements)
        metrics["citation_recall"] = supported / found.statements if markers else 0.0
    return metrics


def _material(row: EvaluationResult, cited: Sequence[tuple[int, str]]) -> str:
    passages = "\n".join(
        f'<passage number="{marker}">{escape(text[:_PASSAGE_CHARACTERS])}</passage>'
        for marker, text in cited[:_MOST_PASSAGES]
    )
    parts = [
        f"<question>{escape(row.question[:_MOST_CHARACTERS])}</question>",
        f"<reference>{escape(row.reference[:_MOST_CHARACTERS])}</reference>",
        f"<answer>{escape(row.answer[:_MOST_CHARACTERS])}</answer>",
        passages,
    ]
    return "\n".join(part for part in parts if part)
