"""Use cases of entries: make, change, switch, tag, delete and restore."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from knowledge.access.fit import lock_base
from knowledge.constants import AnswerStrategy, BaseKind
from knowledge.faq.drafts import EntryDraft, clean_draft, draft_of
from knowledge.faq.normal_form import question_hash
from knowledge.faq.queries import get_entry
from knowledge.faq.rules import (
    Problem,
    find_owners,
    positive_hashes,
    problems_with_others,
    problems_within,
)
from knowledge.faq.writing import index_soon, trash_entries, write_entry, write_questions
from knowledge.models import Chunk, FaqEntry, KnowledgeBase, Tag
from knowledge.queries import get_base


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is changed of many entries at once; None: it stays."""

    is_enabled: bool | None = None
    is_recommended: bool | None = None
    strategy: AnswerStrategy | None = None
    tag: str | None = None
    """Name of a tag of the base; blank takes the tag off."""


def create_entry(actor: Actor, *, base_id: UUID, draft: EntryDraft) -> FaqEntry:
    """Make an entry; the same one sent again returns what stands.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: see `clean_draft` and `refuse_problems`; the tag is none of the base.
        Conflict: another entry has one of its questions; `data` has `entry_id` and `field`.
    """
    base = get_faq_base(actor, base_id)
    require(actor, "edit", base)
    draft = clean_draft(draft)
    with transaction.atomic():
        lock_base(base.pk)
        tag = tag_named(base, draft.tag)
        owners = find_owners(base.pk, positive_hashes(draft))
        standing = owners.get(question_hash(draft.standard_question))
        if standing is not None and standing.entry_id is not None:
            same = FaqEntry.objects.filter(
                pk=standing.entry_id, content_hash=draft.content_hash
            ).first()
            if same is not None:
                return same
        refuse_problems([*problems_within(draft), *problems_with_others(draft, owners)])
        entry = FaqEntry(space_id=base.space_id, base=base)
        write_entry(entry, draft, user_id=actor.user_id, tag=tag)
        _audit(actor, "faq.create", base, number=entry.number)
        index_soon(base)
    return entry


def update_entry(actor: Actor, *, entry_id: UUID, version: int, draft: EntryDraft) -> FaqEntry:
    """Make an entry say what the draft says.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: as `create_entry` has it.
        Conflict: it is not in `version` any more, or another entry has one of its questions.
    """
    entry = get_entry(actor, entry_id)
    require(actor, "change", entry)
    draft = clean_draft(draft)
    with transaction.atomic():
        lock_base(entry.base_id)
        entry = FaqEntry.objects.select_related("base", "tag").get(pk=entry.pk)
        if entry.version != version:
            who = str(entry.updated_by) if entry.updated_by else _("Somebody")
            raise Conflict(
                _(
                    "%(person)s changed this entry in the meantime. Look at how it is now, then"
                    " change it again."
                )
                % {"person": who},
                version=entry.version,
            )
        if draft == draft_of(entry):
            return entry
        owners = find_owners(entry.base_id, positive_hashes(draft), apart_from=entry.pk)
        refuse_problems([*problems_within(draft), *problems_with_others(draft, owners)])
        tag = tag_named(entry.base, draft.tag)
        write_entry(entry, draft, user_id=actor.user_id, tag=tag)
        _audit(actor, "faq.change", entry.base, number=entry.number)
        index_soon(entry.base)
    return entry


def add_similar_questions(actor: Actor, *, entry_id: UUID, questions: Sequence[str]) -> FaqEntry:
    """Add ways to ask an entry; those that it has already are left out.

    Raises:
        NotFound, AccessDenied, Invalid, Conflict: as `update_entry` has it.
    """
    entry = get_entry(actor, entry_id)
    draft = draft_of(entry)
    known = set(positive_hashes(draft))
    fresh = [text for text in questions if text.strip() and question_hash(text) not in known]
    wanted = replace(draft, similar_questions=(*draft.similar_questions, *fresh))
    return update_entry(actor, entry_id=entry.pk, version=entry.version, draft=wanted)


def change_entries(
    actor: Actor, *, base_id: UUID, entry_ids: Iterable[UUID] | None, change: Change
) -> int:
    """Change many entries at once; returns how many it were. None: all of the base.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: nothing is changed, or the tag is none of the base.
    """
    base = get_faq_base(actor, base_id)
    require(actor, "edit", base)
    with transaction.atomic():
        lock_base(base.pk)
        fields = _fields_of(base, change)
        if not fields:
            raise Invalid(_("Say what is to be changed in the entries."))
        ids = _seen_ids(actor, base.pk, entry_ids)
        now = timezone.now()
        rows = FaqEntry.objects.filter(pk__in=ids)
        for entry in rows.exclude(**fields):
            entry.version += 1
            for name, value in fields.items():
                setattr(entry, name, value)
            entry.updated_by_id, entry.updated_at = actor.user_id, now
            entry.save(update_fields=[*fields, "version", "updated_by", "updated_at"])
        if change.is_enabled is not None:
            Chunk.objects.filter(faq_entry_id__in=ids).update(is_enabled=change.is_enabled)
        told = {name: str(value) if value is not None else "" for name, value in fields.items()}
        _audit(actor, "faq.change_many", base, entries=len(ids), **told)
    return len(ids)


def delete_entries(
    actor: Actor, *, base_id: UUID, entry_ids: Iterable[UUID] | None
) -> tuple[UUID, ...]:
    """Take entries out of everybody's search at once; returns their ids, to be restored by.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    base = get_faq_base(actor, base_id)
    require(actor, "edit", base)
    with transaction.atomic():
        lock_base(base.pk)
        ids = _seen_ids(actor, base.pk, entry_ids)
        trash_entries(base.pk, ids, at=timezone.now())
        _audit(actor, "faq.delete", base, entries=len(ids))
    return tuple(ids)


def restore_entries(actor: Actor, *, base_id: UUID, entry_ids: Iterable[UUID]) -> int:
    """Take back that entries were deleted; returns how many it were.

    One whose question was given to another entry meanwhile stays deleted.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Conflict: none could be restored; says why.
    """
    base = get_faq_base(actor, base_id)
    require(actor, "edit", base)
    restored, refused = 0, ""
    with transaction.atomic():
        lock_base(base.pk)
        rows = FaqEntry.objects.filter(base=base, pk__in=list(entry_ids)).select_related("tag")
        for entry in visible(actor, "manage", rows):
            draft = draft_of(entry)
            taken = problems_with_others(draft, find_owners(base.pk, positive_hashes(draft)))
            if taken:
                refused = taken[0].reason
                continue
            entry.trashed_at = None
            entry.save(update_fields=["trashed_at"])
            write_questions(entry)
            Chunk.objects.filter(faq_entry=entry).update(is_enabled=entry.is_enabled)
            restored += 1
        if refused and not restored:
            raise Conflict(refused)
        _audit(actor, "faq.restore", base, entries=restored)
        index_soon(base)
    return restored


def get_faq_base(actor: Actor, base_id: UUID) -> KnowledgeBase:
    """Return a base of questions and answers.

    Raises:
        NotFound: there is none that the actor sees, or it holds documents.
    """
    base = get_base(actor, base_id)
    if base.kind != BaseKind.FAQ:
        raise NotFound(_("This knowledge base holds documents, not questions and answers."))
    return base


def tag_named(base: KnowledgeBase, name: str) -> Tag | None:
    """Return the tag of the base; None for a blank name.

    Raises:
        Invalid: the base has no tag of this name.
    """
    if not name:
        return None
    tag = Tag.objects.filter(base=base, name__iexact=name).first()
    if tag is None:
        raise Invalid(
            _("“%(name)s” is not a tag of this knowledge base; create it first.") % {"name": name},
            field="tag",
        )
    return tag


def refuse_problems(problems: Sequence[Problem]) -> None:
    """Return when there is none.

    Raises:
        Conflict: a question is another entry's; `data` has `field` and `entry_id`.
        Invalid: a question stands twice within the entry; `data` has `field`.
    """
    if not problems:
        return
    first = next((each for each in problems if each.owner is not None), problems[0])
    if first.owner is not None:
        raise Conflict(first.reason, field=first.field, entry_id=str(first.owner.entry_id))
    raise Invalid(first.reason, field=first.field)


def _fields_of(base: KnowledgeBase, change: Change) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if change.is_enabled is not None:
        fields["is_enabled"] = change.is_enabled
    if change.is_recommended is not None:
        fields["is_recommended"] = change.is_recommended
    if change.strategy is not None:
        fields["answer_strategy"] = change.strategy
    if change.tag is not None:
        fields["tag"] = tag_named(base, change.tag)
    return fields


def _seen_ids(actor: Actor, base_id: UUID, entry_ids: Iterable[UUID] | None) -> list[UUID]:
    rows = FaqEntry.objects.filter(base_id=base_id)
    if entry_ids is not None:
        rows = rows.filter(pk__in=list(entry_ids))
    return list(visible(actor, "change", rows).order_by().values_list("pk", flat=True))


def _audit(actor: Actor, action: str, base: KnowledgeBase, **details: Any) -> None:
    record_audit(actor, action, target=base, base_id=base.pk, **details)
