"""What words leave open is judged by the agent's model: in batches, bounded, never the last word.

A figure, date or unit that the passages do not have stays unsupported whatever the model says. When
the model fails or there is none, the verdict by words stands.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args
from xml.sax.saxutils import escape

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.models import AgentRun
from agents.prompts import agent_prompt
from agents.verdicts.judge import DECISIVE
from agents.verdicts.sentences import Sentence
from agents.verdicts.values import Judgement, Passage, Reason, State
from agents.writing import Payer, write_json, writing_model
from core.errors import ProjectError
from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)
BATCH = 10
MOST_ASKED = 40
"""Sentences of one answer that a model is asked about."""
MOST_SECONDS = 60.0
"""After which no further batch is begun."""
PASSAGE_CHARACTERS = 4000
WHY_CHARACTERS = 300
_PURPOSE = "verdicts"


class _Opinion(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    n: int
    state: Literal["supported", "partly", "unsupported"]
    why: str = Field(default="", max_length=2000)


@dataclass(frozen=True, kw_only=True)
class Opinions:
    """What the model thinks, by the place of the sentence."""

    by_place: Mapping[int, _Opinion] = field(default_factory=dict)

    @property
    def asked(self) -> frozenset[int]:
        """Places of the sentences that the model judged."""
        return frozenset(self.by_place)

    def applied(self, judged: Sequence[Judgement]) -> Iterator[Judgement]:
        """Yield the verdicts with the model's opinion where it was asked."""
        for place, verdict in enumerate(judged):
            opinion = self.by_place.get(place)
            yield verdict if opinion is None else _changed(verdict, opinion)


def is_open(verdict: Judgement) -> bool:
    """Say whether words alone do not decide: no figure is wrong, and it is no quotation."""
    return not verdict.is_verbatim and not any(each.code in DECISIVE for each in verdict.reasons)


def ask_model(
    run: AgentRun,
    sentences: Sequence[Sentence],
    judged: Sequence[Judgement],
    passages: Sequence[Passage],
) -> Opinions:
    """Ask the agent's model about the sentences that are open; what it fails at is left out."""
    places = [place for place, verdict in enumerate(judged) if is_open(verdict)][:MOST_ASKED]
    until = time.monotonic() + MOST_SECONDS
    found: dict[int, _Opinion] = {}
    try:
        row = writing_model(run.space_id, run.agent.chat_model if run.agent else None)
        payer = Payer(
            space_id=run.space_id, user_id=run.user_id, purpose=_PURPOSE, agent_id=run.agent_id
        )
        instructions = agent_prompt("verdicts").render()
        for begin in range(0, len(places), BATCH):
            if time.monotonic() > until:
                logger.info("Sentences of run %s are left to words: it takes too long.", run.pk)
                break
            batch = places[begin : begin + BATCH]
            material = _material(batch, sentences, judged, passages)
            answer = write_json(row, payer, instructions=instructions, material=material)
            found |= {each.n: each for each in read_opinions(answer) if each.n in batch}
    except (ModelError, ProjectError) as failure:
        logger.info("Sentences of run %s are left to words: %s", run.pk, failure.message)
    return Opinions(by_place=found)


def read_opinions(answer: Any) -> list[_Opinion]:
    """Return the opinions of a model's JSON; entries of another form are left out."""
    rows = answer.get("verdicts") if isinstance(answer, dict) else answer
    found = []
    for each in rows if isinstance(rows, list) else []:
        try:
            found.append(_Opinion.model_validate(each))
        except ValidationError:
            continue
    return found


def _changed(verdict: Judgement, opinion: _Opinion) -> Judgement:
    """Return the verdict as the model has it, with the reasons by words that still stand."""
    state: State = opinion.state
    assert state in get_args(State)
    if state == "supported":
        return replace(verdict, state=state, reasons=())
    why = Reason(code="model_says_so", found=" ".join(opinion.why.split())[:WHY_CHARACTERS])
    kept = [
        each for each in verdict.reasons if each.code not in ("words_missing", "other_language")
    ]
    return replace(verdict, state=state, reasons=(*kept, why))


def _material(
    places: Sequence[int],
    sentences: Sequence[Sentence],
    judged: Sequence[Judgement],
    passages: Sequence[Passage],
) -> str:
    wanted = {marker for place in places for marker in judged[place].markers}
    parts = [
        f'<passage n="{each.marker}" from="{escape(each.heading, {chr(34): "&quot;"})}">'
        f"{escape(each.text[:PASSAGE_CHARACTERS])}</passage>"
        for each in passages
        if each.marker in wanted
    ]
    for place in places:
        cited = " ".join(str(marker) for marker in judged[place].markers)
        text = escape(sentences[place].text)
        parts.append(f'<sentence n="{place}" passages="{cited}">{text}</sentence>')
    return "\n".join(parts)
