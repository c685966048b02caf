"""Questions written by a model, from material that its reader may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from agents.prompts import agent_prompt
from agents.suggestions.values import Suggestion
from agents.writing import Payer, write_json
from providers.contracts.errors import ModelError
from providers.models import AIModel

ANSWER_CHARACTERS = 4000
QUESTION_CHARACTERS = 1000
HEADINGS = 12
_CATEGORIES = {
    "clarify": "clarify: makes a point of the answer clearer",
    "deepen": "deepen: goes further into the subject",
    "action": "action: helps to do the next thing",
}
Turn = tuple[str, str]


def write_follow_ups(
    row: AIModel,
    payer: Payer,
    *,
    turns: Sequence[Turn],
    headings: Mapping[str, Sequence[str]],
    count: int,
    categories: Sequence[str],
    wishes: str,
    document_ids: tuple[str, ...],
) -> list[Suggestion]:
    """Return questions that the person may want to ask next.

    Raises:
        ModelError: the call failed, or the answer is not what was asked for.
        ProjectError: a budget is spent, or the model is switched off.
    """
    chosen = categories or tuple(_CATEGORIES)
    instructions = agent_prompt("follow_ups").render(
        count=str(count),
        categories="\n".join(f"- {_CATEGORIES[each]}" for each in chosen),
        wishes=wishes.strip() or "(none)",
    )
    material = "\n".join([*map(_turn, turns), _headings(headings)])
    answer = write_json(row, payer, instructions=instructions, material=material, max_tokens=600)
    return _read(answer, categories=chosen, document_ids=document_ids)


def write_starters(
    row: AIModel,
    payer: Payer,
    *,
    about: str,
    headings: Mapping[str, Sequence[str]],
    count: int,
    language: str,
    document_ids: tuple[str, ...],
) -> list[Suggestion]:
    """Return questions with which a conversation may begin.

    Raises:
        ModelError, ProjectError: as for follow-ups.
    """
    instructions = agent_prompt("starters").render(count=str(count), language=language)
    material = f"<agent>{escape(about)}</agent>\n{_headings(headings)}"
    answer = write_json(row, payer, instructions=instructions, material=material, max_tokens=800)
    return _read(answer, categories=(), document_ids=document_ids)


def _read(
    answer: Any, *, categories: Sequence[str], document_ids: tuple[str, ...]
) -> list[Suggestion]:
    rows = answer.get("questions") if isinstance(answer, dict) else answer
    if not isinstance(rows, list):
        raise ModelError(
            "bad_response", "The model answered in another form than it was asked for."
        )
    found = []
    for each in rows:
        values = {"text": each} if isinstance(each, str) else each
        if not isinstance(values, dict) or not isinstance(values.get("text"), str):
            continue
        category = values.get("category", "")
        found.append(
            Suggestion(
                text=values["text"],
                source="generated",
                category=category if category in categories else "",
                document_ids=document_ids,
            )
        )
    return found


def _turn(turn: Turn) -> str:
    question, answer = turn
    return (
        f"<question>{escape(question[:QUESTION_CHARACTERS])}</question>\n"
        f"<answer>{escape(answer[:ANSWER_CHARACTERS])}</answer>"
    )


def _headings(headings: Mapping[str, Sequence[str]]) -> str:
    lines = [
        f"<document>{escape(name)}: {escape('; '.join(each[:HEADINGS]))}</document>"
        for name, each in headings.items()
    ]
    return "\n".join(["<sources>", *lines, "</sources>"])
