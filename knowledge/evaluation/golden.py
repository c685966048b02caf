"""Use cases of golden questions: add, change, confirm, retire, delete."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from knowledge.constants import GoldenOrigin, GoldenState
from knowledge.evaluation.expected import Expected, dump_expected, expected_of
from knowledge.evaluation.queries import EVERY, MOST_QUESTIONS, get_golden, list_golden
from knowledge.faq.normal_form import question_hash
from knowledge.models import GoldenQuestion, KnowledgeBase
from knowledge.queries import get_base, get_chunks, get_documents
from knowledge.text.analyze import fold
from knowledge.text.latin import language_of
from knowledge.text.scripts import script_of

MOST_EXPECTED = 50
_MOST_CHARACTERS = 10_000
_BY_SCRIPT = {"han": "zh", "japanese": "ja", "korean": "ko", "cyrillic": "ru"}


@dataclass(frozen=True, kw_only=True)
class GoldenDraft:
    """What a golden question says."""

    question: str
    answer: str = ""
    language: str = ""
    """Blank: as the question looks."""
    expected: tuple[Expected, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a golden question comes from."""

    kind: GoldenOrigin = GoldenOrigin.PERSON
    source_id: UUID | None = None
    asked_by_id: int | None = None


def add_golden(
    actor: Actor,
    *,
    base_id: UUID,
    draft: GoldenDraft,
    origin: Origin = Origin(),
    is_confirmed: bool = False,
) -> GoldenQuestion:
    """Add a golden question; only a confirmed one is asked in evaluations.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: it says nothing, too much, or is to be confirmed and expects nothing.
        Conflict: the base has this question.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    if GoldenQuestion.objects.filter(base=base).count() >= MOST_QUESTIONS:
        raise Conflict(
            _("A knowledge base has at most %(n)s golden questions; delete some first.")
            % {"n": f"{MOST_QUESTIONS:,}"}
        )
    row = GoldenQuestion(
        space_id=base.space_id,
        base=base,
        origin=origin.kind,
        source_id=origin.source_id,
        asked_by_id=origin.asked_by_id,
        author_id=actor.user_id,
    )
    _write(row, draft)
    if is_confirmed:
        _confirm(actor, row)
    _save(row, is_new=True)
    return row


def change_golden(
    actor: Actor, *, golden_id: UUID, version: int, draft: GoldenDraft
) -> GoldenQuestion:
    """Make a golden question say what the draft says; its results of before stay as they were.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: see `add_golden`.
        Conflict: somebody changed it meanwhile, or the base has this question already.
    """
    found = get_golden(actor, golden_id)
    require(actor, "change", found)
    with transaction.atomic():
        row = GoldenQuestion.objects.select_for_update().get(pk=found.pk)
        if row.version != version:
            raise Conflict(
                _("Somebody changed this question meanwhile. Look at it, then change it again.")
            )
        _write(row, draft)
        if row.state == GoldenState.CONFIRMED:
            _refuse_empty(row)
        row.version += 1
        _save(row)
    return row


def set_state(
    actor: Actor, *, base_id: UUID, golden_ids: Collection[UUID], state: GoldenState
) -> int:
    """Confirm, retire, or make drafts of golden questions; returns how many changed.

    What expects nothing is not confirmed but stays as it is.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    changed = 0
    with transaction.atomic():
        for row in _chosen(actor, base_id, golden_ids):
            if row.state == state or (state == GoldenState.CONFIRMED and _is_empty(row)):
                continue
            if state == GoldenState.CONFIRMED:
                _confirm(actor, row)
            row.state = state
            row.version += 1
            row.save()
            changed += 1
        if changed:
            base = get_base(actor, base_id)
            record_audit(actor, f"golden.{state}", target=base, base_id=base.pk, questions=changed)
    return changed


def delete_golden(actor: Actor, *, base_id: UUID, golden_ids: Collection[UUID]) -> int:
    """Delete golden questions; results of past evaluations keep their figures and words.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    with transaction.atomic():
        ids = [row.pk for row in _chosen(actor, base_id, golden_ids)]
        GoldenQuestion.objects.filter(pk__in=ids).delete()
        if ids:
            base = get_base(actor, base_id)
            record_audit(actor, "golden.delete", target=base, base_id=base.pk, questions=len(ids))
    return len(ids)


def expected_from(
    actor: Actor,
    base: KnowledgeBase,
    *,
    chunk_ids: Sequence[UUID] = (),
    document_ids: Sequence[UUID] = (),
) -> tuple[Expected, ...]:
    """Return passages and whole documents of a base as expectations; others are left out."""
    chunks = {chunk.pk: chunk for chunk in get_chunks(actor, chunk_ids) if chunk.base_id == base.pk}
    passages = [expected_of(chunks[each]) for each in chunk_ids if each in chunks]
    whole = [
        Expected(document_id=document.pk, document_name=document.name)
        for document in get_documents(actor, document_ids)
        if document.base_id == base.pk
    ]
    return (*passages, *whole)


def guess_language(text: str) -> str:
    """Return the language a text looks like, as a code; blank where nobody can tell."""
    script = script_of(text)
    return _BY_SCRIPT.get(script, language_of(fold(text)) or "" if script == "latin" else "")


def clean_draft(draft: GoldenDraft) -> GoldenDraft:
    """Return the draft without what cannot be stored.

    Raises:
        Invalid: the question is blank, or something is too long or too much.
    """
    question = " ".join(draft.question.replace("\x00", " ").split())
    answer = draft.answer.replace("\x00", " ").strip()
    if not question:
        raise Invalid(_("Write the question."), field="question")
    for field, text in (("question", question), ("answer", answer)):
        if len(text) > _MOST_CHARACTERS:
            raise Invalid(
                _("This is too long: %(n)s characters are the most.")
                % {"n": f"{_MOST_CHARACTERS:,}"},
                field=field,
            )
    if len(draft.expected) > MOST_EXPECTED:
        raise Invalid(
            _("A question expects at most %(n)s passages.") % {"n": MOST_EXPECTED},
            field="question",
        )
    unique = tuple(dict.fromkeys(draft.expected))
    language = draft.language.strip()[:20] or guess_language(question)
    return GoldenDraft(question=question, answer=answer, language=language, expected=unique)


def _write(row: GoldenQuestion, draft: GoldenDraft) -> None:
    cleaned = clean_draft(draft)
    row.question, row.answer = cleaned.question, cleaned.answer
    row.question_hash = question_hash(cleaned.question)
    row.language = cleaned.language
    row.expected = dump_expected(cleaned.expected)


def _confirm(actor: Actor, row: GoldenQuestion) -> None:
    _refuse_empty(row)
    row.state = GoldenState.CONFIRMED
    row.confirmed_by_id, row.confirmed_at = actor.user_id, timezone.now()


def _is_empty(row: GoldenQuestion) -> bool:
    return not (row.expected or row.answer)


def _refuse_empty(row: GoldenQuestion) -> None:
    if _is_empty(row):
        raise Invalid(
            _("Choose a passage that answers the question, or write the answer."), field="question"
        )


def _save(row: GoldenQuestion, *, is_new: bool = False) -> None:
    try:
        with transaction.atomic():
            row.save(force_insert=is_new)
    except IntegrityError as error:
        raise Conflict(
            _("This knowledge base has this golden question already."), field="question"
        ) from error


def _chosen(actor: Actor, base_id: UUID, golden_ids: Collection[UUID]) -> list[GoldenQuestion]:
    """Return those of the questions that are the base's and open to the actor, locked."""
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    wanted = set(golden_ids)
    seen = [row.pk for row in list_golden(actor, base.pk, EVERY) if row.pk in wanted]
    return list(GoldenQuestion.objects.select_for_update().filter(pk__in=seen))
