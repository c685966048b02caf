"""Use cases of who asked: a thumb on an answer, with reasons, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from agents.constants import OPEN_RUN_STATES, FeedbackReason, FeedbackState
from agents.feedback.bases import bases_behind
from agents.models import AgentRun, AnswerFeedback
from agents.queries import get_run
from core.errors import Conflict

MOST_WORDS = 2_000
"""Characters."""


def give_feedback(
    actor: Actor, *, run_id: UUID, is_up: bool, reasons: Sequence[str] = (), words: str = ""
) -> AnswerFeedback:
    """Say what one thinks of an own answer; a second time takes the place of the first.

    Raises:
        NotFound: the run is none of the actor's.
        Conflict: it has no answer, or a machine asked.
    """
    run = get_run(actor, run_id)
    require(actor, "change", run)
    if actor.user_id is None or run.user_id != actor.user_id:
        raise Conflict(_("Only people say what they think of an answer."))
    if run.answer_id is None or run.state in OPEN_RUN_STATES:
        raise Conflict(_("There is no answer yet."))
    known = {str(each) for each in reasons} & set(FeedbackReason.values)
    with transaction.atomic():
        row, _is_new = AnswerFeedback.objects.update_or_create(
            run=run,
            user_id=actor.user_id,
            create_defaults={
                "space_id": run.space_id,
                "message_id": run.answer_id,
                "is_up": is_up,
                "base_ids": [str(each) for each in bases_behind(actor, run)],
            },
            defaults={"is_up": is_up},
        )
        row.reasons = [] if is_up else [each for each in FeedbackReason.values if each in known]
        row.words = words.replace("\x00", " ").strip()[:MOST_WORDS]
        row.state, row.note, row.handled_by, row.handled_at = FeedbackState.OPEN, "", None, None
        row.save()
    return row


def take_feedback_back(actor: Actor, *, run_id: UUID) -> AgentRun:
    """Take a thumb back, as if it had never been; golden questions made from it stay.

    Raises:
        NotFound: the run is none of the actor's.
    """
    run = get_run(actor, run_id)
    require(actor, "change", run)
    AnswerFeedback.objects.filter(run=run, user_id=actor.user_id or 0).delete()
    return run
