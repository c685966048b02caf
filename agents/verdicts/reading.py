"""Verdicts as their reader may see them now: permission on the sources is asked again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.access import Actor
from agents.models import AgentRun, SentenceVerdict
from agents.tracing.closed import closed_runs
from agents.verdicts.values import Reason
from knowledge.evidence import read_evidence_of


@dataclass(frozen=True, kw_only=True)
class ShownVerdict:
    """One sentence with what was found."""

    index: int
    start: int
    end: int
    text: str
    """The sentence as it stands in the answer, Markdown."""
    state: str
    method: str
    reasons: tuple[Reason, ...]
    markers: tuple[int, ...]


def verdicts_of_runs(
    actor: Actor, runs: Sequence[AgentRun]
) -> Mapping[UUID, tuple[ShownVerdict, ...]]:
    """Return the verdicts of runs that the actor may see, by run; one query where there are none.

    Nothing of a run whose texts are closed; of one with a hidden source not what its sources say.
    """
    answers = {run.answer_id: run for run in runs if run.answer_id is not None}
    rows = SentenceVerdict.objects.filter(message__in=answers).order_by("message", "index")
    by_answer: defaultdict[UUID, list[SentenceVerdict]] = defaultdict(list)
    for row in rows:
        by_answer[row.message_id].append(row)
    if not by_answer:
        return {}
    closed = closed_runs(actor, [answers[each].pk for each in by_answer])
    quoting = [each for each, found in by_answer.items() if _quotes(found)]
    hidden = _with_hidden_source(actor, quoting)
    return {
        answers[answer_id].pk: _shown(answers[answer_id], found, quotes=answer_id not in hidden)
        for answer_id, found in by_answer.items()
        if answers[answer_id].pk not in closed
    }


def _shown(
    run: AgentRun, rows: Iterable[SentenceVerdict], *, quotes: bool
) -> tuple[ShownVerdict, ...]:
    text = run.answer.text if run.answer is not None else ""
    return tuple(
        ShownVerdict(
            index=row.index,
            start=row.start,
            end=row.end,
            text=text[row.start : row.end],
            state=row.state,
            method=row.method,
            reasons=tuple(
                Reason(
                    code=each["code"],
                    claimed=each.get("claimed", ""),
                    found=each.get("found", "") if quotes else "",
                )
                for each in row.reasons
            ),
            markers=tuple(row.markers),
        )
        for row in rows
        if row.end <= len(text)
    )


def _quotes(rows: Iterable[SentenceVerdict]) -> bool:
    return any(each.get("found") for row in rows for each in row.reasons)


def _with_hidden_source(actor: Actor, answer_ids: Sequence[UUID]) -> set[UUID]:
    if not answer_ids:
        return set()
    evidence = read_evidence_of(actor, origin_ids=answer_ids)
    return {
        answer_id
        for answer_id, found in evidence.items()
        if any(each.source_state == "hidden" for each in found)
    }
