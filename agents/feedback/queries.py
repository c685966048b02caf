"""What who edits a base reads: feedback on answers from it, and questions that it did not answer.

Conversations are private. Who gives a thumb is told that its question and answer go to those who
look after the bases; of a question without an answer they see its words, and not who asked.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from agents.constants import FeedbackState, UnansweredState
from agents.models import AgentRun, AnswerFeedback, UnansweredQuestion
from agents.tracing.closed import closed_runs
from agents.tracing.sight import closed_note
from core.errors import NotFound
from knowledge.models import FaqEntry
from knowledge.queries import get_base

MOST_TOPICS = 200
_MOST_ROWS = 2_000


@dataclass(frozen=True, kw_only=True)
class SeenFeedback:
    """Feedback as an editor of the base may see it."""

    row: AnswerFeedback
    question: str
    answer: str
    is_closed: bool
    """A document behind the answer is closed to the reader."""


@dataclass(frozen=True, kw_only=True)
class Topic:
    """Open questions about the same thing."""

    id: UUID
    question: str
    """The newest of them."""
    others: tuple[str, ...]
    count: int
    newest_at: datetime


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What became of a question, for who asked it."""

    answer: str
    entry_id: UUID


def list_feedback(
    actor: Actor, base_id: UUID, *, state: str = FeedbackState.OPEN
) -> list[SeenFeedback]:
    """Return feedback on answers from a base, the newest first; blank state: all.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    require(actor, "edit", get_base(actor, base_id))
    rows = AnswerFeedback.objects.filter(base_ids__contains=[str(base_id)])
    if state in FeedbackState.values:
        rows = rows.filter(state=state)
    found = list(rows.select_related("run__question", "message", "user")[:_MOST_ROWS])
    closed = closed_runs(actor, {row.run_id for row in found})
    return [
        SeenFeedback(
            row=row,
            question=row.run.question.text,
            answer=closed_note() if row.run_id in closed else row.message.text,
            is_closed=row.run_id in closed,
        )
        for row in found
    ]


def get_feedback(actor: Actor, base_id: UUID, feedback_id: UUID) -> SeenFeedback:
    """Return one feedback on an answer from a base.

    Raises:
        NotFound, AccessDenied: as `list_feedback` has it; there is none.
    """
    for seen in list_feedback(actor, base_id, state=""):
        if seen.row.pk == feedback_id:
            return seen
    raise NotFound(_("There is no such feedback."))


def list_topics(actor: Actor, base_id: UUID) -> list[Topic]:
    """Return the open questions that a base did not answer, by topic, the largest first.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    by_topic: dict[UUID, list[UnansweredQuestion]] = {}
    for row in open_questions(actor, base_id):
        by_topic.setdefault(row.topic_id, []).append(row)
    topics = [
        Topic(
            id=topic_id,
            question=rows[0].question,
            others=tuple(dict.fromkeys(row.question for row in rows[1:])),
            count=len(rows),
            newest_at=rows[0].created_at,
        )
        for topic_id, rows in by_topic.items()
    ]
    topics.sort(key=lambda topic: (-topic.count, -topic.newest_at.timestamp()))
    return topics[:MOST_TOPICS]


def open_questions(
    actor: Actor, base_id: UUID, *, topic_id: UUID | None = None
) -> list[UnansweredQuestion]:
    """Return open questions to a base, the newest first.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    require(actor, "edit", get_base(actor, base_id))
    rows = UnansweredQuestion.objects.filter(
        state=UnansweredState.OPEN, base_ids__contains=[str(base_id)]
    )
    if topic_id is not None:
        rows = rows.filter(topic_id=topic_id)
    return list(rows.select_related("asker")[:_MOST_ROWS])


def feedback_of(actor: Actor, runs: Collection[AgentRun]) -> dict[UUID, AnswerFeedback]:
    """Return the actor's own thumbs on the answers of runs."""
    rows = visible(actor, "view", AnswerFeedback.objects.filter(run__in=runs))
    return {row.run_id: row for row in rows}


def answered_since(actor: Actor, runs: Collection[AgentRun]) -> dict[UUID, Answered]:
    """Return what answers the actor's questions by now, as far as they may see it."""
    rows = UnansweredQuestion.objects.filter(run__in=runs, state=UnansweredState.ANSWERED)
    pairs = visible(actor, "view", rows).values_list("run_id", "faq_entry_id")
    entries = {run_id: entry_id for run_id, entry_id in pairs if entry_id is not None}
    if not entries:
        return {}
    seen = visible(actor, "view", FaqEntry.objects.filter(pk__in=entries.values()))
    answers = {entry.pk: "\n\n".join(entry.answers) for entry in seen}
    return {
        run_id: Answered(answer=answers[entry_id], entry_id=entry_id)
        for run_id, entry_id in entries.items()
        if entry_id in answers
    }
