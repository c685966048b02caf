"""Which of a person's lines were not read yet, in stretches that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from agents.constants import OPEN_RUN_STATES, MessageRole
from agents.models import AgentRun, MemoryOwner, Message

LINES = 40
"""Read in one go; what is beyond waits for the next."""
SILENCE = timedelta(hours=1)
SEGMENTS = 3


def unread_lines(owner: MemoryOwner) -> list[Message]:
    """Return the person's oldest unread lines, at most about `LINES`.

    Lines of one instant stay together, because the watermark is a time. It stops before a question
    that is still being answered: that one is read later, together with its answer's sources.
    """
    if owner.user_id is None:
        return []
    rows = Message.objects.filter(
        role=MessageRole.USER,
        conversation__user_id=owner.user_id,
        conversation__is_internal=False,
    ).exclude(conversation__schedule__isnull=False, position=0)  # the schedule's own question
    if owner.read_until is not None:
        rows = rows.filter(created_at__gt=owner.read_until)
    ordered = rows.select_related("conversation").order_by("created_at", "position")
    lines = list(ordered[:LINES])
    if len(lines) == LINES:
        last = lines[-1]
        lines += ordered.filter(created_at=last.created_at).exclude(
            pk__in=[line.pk for line in lines]
        )
    return _before_open_runs(lines)


def _before_open_runs(lines: list[Message]) -> list[Message]:
    open_runs = AgentRun.objects.filter(
        question__in=[line.pk for line in lines], state__in=OPEN_RUN_STATES
    )
    first = open_runs.order_by("question__created_at").values_list(
        "question__created_at", flat=True
    )
    limit = first.first()
    return lines if limit is None else [line for line in lines if line.created_at < limit]


def segments_of(lines: Sequence[Message]) -> list[list[Message]]:
    """Split lines where the conversation changes or an hour was silent; the first few of them."""
    segments: list[list[Message]] = []
    for line in lines:
        last = segments[-1][-1] if segments else None
        if (
            last is None
            or last.conversation_id != line.conversation_id
            or line.created_at - last.created_at > SILENCE
        ):
            segments.append([])
        segments[-1].append(line)
    return _whole_instants(segments[:SEGMENTS], segments[SEGMENTS:])


def _whole_instants(taken: list[list[Message]], rest: list[list[Message]]) -> list[list[Message]]:
    """Take along what was said in the very instant of the last line."""
    while rest and rest[0][0].created_at <= taken[-1][-1].created_at:
        taken.append(rest.pop(0))
    return taken


def with_memory(lines: Sequence[Message]) -> list[Message]:
    """Leave out lines to agents that work without memory, or that are gone."""
    runs = AgentRun.objects.filter(question__in=[line.pk for line in lines]).select_related("agent")
    allowed = {
        run.question_id
        for run in runs
        if run.agent is not None and run.agent.settings.memory_enabled is not False
    }
    return [line for line in lines if line.pk in allowed]


def end_of(segments: Sequence[Sequence[Message]]) -> datetime:
    """Return the time up to which the lines were read."""
    return max(line.created_at for segment in segments for line in segment)
