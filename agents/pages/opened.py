"""Turns of another person's conversation: what may be read, without anything that can be done."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from uuid import UUID

from accounts.access import Actor, visible
from agents.live.presentation import AgentTurn, UserTurn, turns_of
from agents.models import AgentRun, Conversation, RunEvent
from agents.tracing.closed import hide_closed_mentions
from agents.tracing.sight import masked_rows
from knowledge.evidence import read_evidence_of


def read_only_turns(actor: Actor, conversation: Conversation) -> list[UserTurn | AgentTurn]:
    """Return questions and answers in their order; each source is asked for as the reader."""
    rows = AgentRun.objects.filter(conversation=conversation).select_related(
        "question", "answer", "agent"
    )
    runs = list(visible(actor, "manage", rows).order_by("question__position"))
    events: defaultdict[UUID, list[RunEvent]] = defaultdict(list)
    stored = RunEvent.objects.filter(run__in=runs).order_by("run_id", "seq")
    for row in masked_rows(actor, list(stored)):
        events[row.run_id].append(row)
    evidence = read_evidence_of(actor, origin_ids=[run.answer_id for run in runs if run.answer_id])
    hide_closed_mentions(actor, runs)
    turns: list[UserTurn | AgentTurn] = []
    for run in runs:
        cited = evidence.get(run.answer_id, []) if run.answer_id else []
        question, answer = turns_of(run, events[run.pk], cited)
        turns += [question, replace(answer, actions=None, problem=None, is_open=False)]
    return turns
