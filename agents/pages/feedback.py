"""Contexts of thumbs in the chat, and of the lists of who edits a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.access import Actor, may
from agents.constants import OPEN_RUN_STATES, FeedbackReason, FeedbackState
from agents.feedback.queries import Answered, SeenFeedback
from agents.models import AgentRun, AnswerFeedback
from knowledge.constants import BaseKind
from knowledge.queries import list_bases

_TONES = {FeedbackState.OPEN: "warn", FeedbackState.HANDLED: "ok", FeedbackState.DISMISSED: "line"}


@dataclass(frozen=True, kw_only=True)
class FeedbackRow:
    """Feedback in the list of a base."""

    id: UUID
    is_up: bool
    question: str
    answer: str
    is_closed: bool
    reasons: tuple[str, ...]
    words: str
    by: str
    at: datetime
    state: str
    tone: str
    is_open: bool
    note: str


def thumbs_context(
    actor: Actor, run: AgentRun, row: AnswerFeedback | None, *, asks: bool = False
) -> dict[str, Any] | None:
    """Return what `feedback/_thumbs.html` takes; None where the reader has no say.

    `asks` opens the reasons: a thumb down was just given.
    """
    is_own = actor.user_id is not None and run.user_id == actor.user_id
    if not is_own or run.answer_id is None or run.state in OPEN_RUN_STATES:
        return None
    return {
        "run_id": str(run.pk),
        "value": "" if row is None else "up" if row.is_up else "down",
        "asks": asks,
        "words": row.words if row else "",
        "reasons": [
            {"value": value, "label": label, "is_chosen": row is not None and value in row.reasons}
            for value, label in FeedbackReason.choices
        ],
    }


def answered_context(found: Mapping[UUID, Answered], run_id: UUID) -> dict[str, Any] | None:
    """Return what `feedback/_answered.html` takes; None while nobody answered the question."""
    answered = found.get(run_id)
    return None if answered is None else {"answer": answered.answer, "entry_id": answered.entry_id}


def feedback_row(seen: SeenFeedback) -> FeedbackRow:
    """Return feedback as the list shows it."""
    row = seen.row
    labels = dict(FeedbackReason.choices)
    return FeedbackRow(
        id=row.pk,
        is_up=row.is_up,
        question=seen.question,
        answer=seen.answer,
        is_closed=seen.is_closed,
        reasons=tuple(str(labels[each]) for each in row.reasons if each in labels),
        words=row.words,
        by=str(row.user),
        at=row.updated_at,
        state=str(row.get_state_display()),
        tone=_TONES[FeedbackState(row.state)],
        is_open=row.state == FeedbackState.OPEN,
        note=row.note,
    )


def faq_choices(actor: Actor) -> list[dict[str, str]]:
    """Return the bases of questions and answers that the actor may write into."""
    rows = list_bases(actor).filter(kind=BaseKind.FAQ)
    return [{"id": str(base.pk), "name": base.name} for base in rows if may(actor, "edit", base)]
