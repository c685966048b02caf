"""Use cases of who edits a base: feedback to the golden set, answers into an FAQ, dismissing."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.actors import find_actor
from accounts.models import User
from accounts.notices.mail import send_mail
from accounts.services.audit import record_audit
from agents.constants import FeedbackState, UnansweredState
from agents.feedback.queries import SeenFeedback, get_feedback, open_questions
from agents.models import AnswerFeedback, UnansweredQuestion
from agents.tracing.closed import documents_read
from core.errors import Conflict, Invalid, NotFound
from knowledge.constants import GoldenOrigin
from knowledge.evaluation.golden import GoldenDraft, Origin, add_golden, expected_from
from knowledge.evidence import read_evidence
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.services import create_entry
from knowledge.models import FaqEntry, GoldenQuestion
from knowledge.queries import get_base


def take_as_golden(actor: Actor, *, base_id: UUID, feedback_id: UUID) -> GoldenQuestion:
    """Make a draft of a golden question from feedback, with what a good answer cites.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Conflict: the answer rests on closed documents, or the base has this question.
    """
    seen = get_feedback(actor, base_id, feedback_id)
    if seen.is_closed:
        raise Conflict(_("This answer rests on documents that you may not see."))
    row, base = seen.row, get_base(actor, base_id)
    cited = read_evidence(actor, origin_id=row.message_id) if row.is_up else []
    chunk_ids = [each.chunk_id for each in cited if each.chunk_id is not None]
    expected = expected_from(actor, base, chunk_ids=chunk_ids)
    # A golden question is as open as the documents it names, so an answer that rests on others stays.
    read = documents_read([row.run_id]).get(row.run_id, set())
    keeps_answer = row.is_up and read <= {each.document_id for each in expected}
    with transaction.atomic():
        made = add_golden(
            actor,
            base_id=base.pk,
            draft=GoldenDraft(
                question=seen.question,
                answer=seen.answer if keeps_answer else "",
                expected=expected,
            ),
            origin=Origin(
                kind=GoldenOrigin.FEEDBACK, source_id=row.run_id, asked_by_id=row.user_id
            ),
        )
        _close(actor, seen, FeedbackState.HANDLED)
    return made


def handle_feedback(
    actor: Actor, *, base_id: UUID, feedback_id: UUID, is_dismissed: bool, note: str = ""
) -> AnswerFeedback:
    """Say that feedback was looked after, or dismiss it with a reason.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: it is dismissed without a reason.
    """
    seen = get_feedback(actor, base_id, feedback_id)
    why = _reason(note) if is_dismissed else ""
    with transaction.atomic():
        state = FeedbackState.DISMISSED if is_dismissed else FeedbackState.HANDLED
        return _close(actor, seen, state, note=why)


def answer_topic(
    actor: Actor, *, base_id: UUID, topic_id: UUID, faq_id: UUID, question: str, answer: str
) -> FaqEntry:
    """Answer questions of a topic by an entry of an FAQ; those who asked are told.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing both bases.
        Invalid: question or answer is blank.
        Conflict: another entry has the question.
    """
    rows = open_questions(actor, base_id, topic_id=topic_id)
    if not rows:
        raise NotFound(_("There is no such open question."))
    draft = EntryDraft(standard_question=question.strip(), answers=(answer.strip(),))
    with transaction.atomic():
        entry = create_entry(actor, base_id=faq_id, draft=draft)
        UnansweredQuestion.objects.filter(pk__in=[row.pk for row in rows]).update(
            state=UnansweredState.ANSWERED,
            answered_by_id=actor.user_id,
            answered_at=timezone.now(),
            faq_entry_id=entry.pk,
        )
        _audit(actor, "unanswered.answer", base_id, questions=len(rows))
        for row in rows:
            _tell(row, entry)
    return entry


def dismiss_topic(actor: Actor, *, base_id: UUID, topic_id: UUID, note: str) -> int:
    """Put questions of a topic away with a reason; returns how many it were.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: no reason is given.
    """
    why = _reason(note)
    rows = open_questions(actor, base_id, topic_id=topic_id)
    with transaction.atomic():
        UnansweredQuestion.objects.filter(pk__in=[row.pk for row in rows]).update(
            state=UnansweredState.DISMISSED,
            note=why,
            answered_by_id=actor.user_id,
            answered_at=timezone.now(),
        )
        _audit(actor, "unanswered.dismiss", base_id, questions=len(rows))
    return len(rows)


def _close(
    actor: Actor, seen: SeenFeedback, state: FeedbackState, *, note: str = ""
) -> AnswerFeedback:
    row = AnswerFeedback.objects.select_for_update().get(pk=seen.row.pk)
    row.state, row.note = state, note
    row.handled_by_id, row.handled_at = actor.user_id, timezone.now()
    row.save(update_fields=["state", "note", "handled_by", "handled_at"])
    return row


def _reason(note: str) -> str:
    why = " ".join(note.replace("\x00", " ").split())[:500]
    if not why:
        raise Invalid(_("Say why it is dismissed."), field="note")
    return why


def _audit(actor: Actor, action: str, base_id: UUID, **details: Any) -> None:
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    record_audit(actor, action, target=base, base_id=base.pk, **details)


def _tell(row: UnansweredQuestion, entry: FaqEntry) -> None:
    """Tell who asked, if they may read the entry: by mail, and in the conversation from now on."""
    if row.asker is None:
        return
    asker = find_actor(row.asker, space_id=row.space_id)
    if asker is None:
        return
    if not visible(asker, "view", FaqEntry.objects.filter(pk=entry.pk)).exists():
        return
    UnansweredQuestion.objects.filter(pk=row.pk).update(told_at=timezone.now())
    transaction.on_commit(partial(_mail, row.asker, row.question))


def _mail(person: User, question: str) -> None:
    with translation.override(person.language or translation.get_language() or "en"):
        send_mail(
            to=person.email,
            template="notices/question_answered.txt",
            context={"question": question[:300]},
        )
