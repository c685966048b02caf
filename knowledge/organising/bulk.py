"""One thing done to many documents: those that were ticked, or all that a filter shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Invalid
from knowledge.access.fit import lock_base, raise_walls
from knowledge.constants import RETRYABLE_STATES
from knowledge.models import Document, DocumentTag, KnowledgeBase
from knowledge.organising.filters import DocumentFilter, filtered
from knowledge.organising.folders import keep_folders_above
from knowledge.organising.paths import clean_folder_path
from knowledge.organising.tags import put_tags, tags_of_base
from knowledge.organising.trash import put_into_trash
from knowledge.queries import get_base, list_documents
from knowledge.services.documents import read_again

_BATCH = 500
SHOWN_REFUSALS = 20


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which documents of a base are meant."""

    base_id: UUID
    document_ids: tuple[UUID, ...] = ()
    filter: DocumentFilter | None = None
    """Instead of ids: all that it shows."""


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A document that was left as it is, and why."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class BulkResult:
    """What was done."""

    done: tuple[UUID, ...]
    refused: tuple[Refused, ...] = ()


def selected(actor: Actor, selection: Selection) -> list[Document]:
    """Return the documents that are meant, as far as the actor sees them.

    Raises:
        NotFound: there is no such base.
        Invalid: nothing was chosen.
    """
    rows = list_documents(actor, selection.base_id)
    if selection.filter is not None:
        return list(filtered(rows, selection.filter))
    if not selection.document_ids:
        raise Invalid(_("No document is chosen. Tick some, and try again."))
    return list(rows.filter(pk__in=selection.document_ids))


def tag_documents(
    actor: Actor, selection: Selection, *, add: Iterable[int] = (), remove: Iterable[int] = ()
) -> BulkResult:
    """Put tags on documents and take others off.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: nothing was chosen, or a tag is not one of the base.
    """
    base = _editable(actor, selection)
    put, take = tags_of_base(base, add), tags_of_base(base, remove)
    if not put and not take:
        raise Invalid(_("Choose at least one tag to put on or take off."))
    allowed, refused = _changeable(actor, selected(actor, selection))
    with transaction.atomic():
        ids = [each.pk for each in allowed]
        DocumentTag.objects.filter(document_id__in=ids, tag__in=take).delete()
        put_tags(allowed, put)
        record_audit(
            actor,
            "document.tag",
            target=base,
            base_id=base.pk,
            documents=len(ids),
            added=[tag.name for tag in put],
            removed=[tag.name for tag in take],
        )
    return _result(allowed, refused)


def move_to_folder(actor: Actor, selection: Selection, *, folder_path: str) -> BulkResult:
    """Put documents into a folder of their base; who reads them follows the new folder.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: nothing was chosen, or the folder cannot be kept.
    """
    base = _editable(actor, selection)
    folder = clean_folder_path(folder_path)
    allowed, refused = _changeable(actor, selected(actor, selection))
    with transaction.atomic():
        lock_base(base.pk)
        for document in allowed:
            document.folder_path = folder
        Document.objects.bulk_update(allowed, ["folder_path"], batch_size=_BATCH)
        for start in range(0, len(allowed), _BATCH):
            raise_walls(allowed[start : start + _BATCH])
        keep_folders_above(base, folder, user_id=actor.user_id)
        record_audit(
            actor,
            "document.move",
            target=base,
            base_id=base.pk,
            folder=folder,
            documents=len(allowed),
        )
    return _result(allowed, refused)


def read_all_again(actor: Actor, selection: Selection) -> BulkResult:
    """Read documents again, each as a new attempt.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: nothing was chosen.
    """
    base = _editable(actor, selection)
    allowed, refused = _changeable(actor, selected(actor, selection))
    ready = [each for each in allowed if _refusal_to_read(each) == ""]
    refused += [
        Refused(name=each.name, reason=reason)
        for each in allowed
        if (reason := _refusal_to_read(each))
    ]
    with transaction.atomic():
        for document in ready:
            read_again(document)
        record_audit(actor, "document.retry", target=base, base_id=base.pk, documents=len(ready))
    return _result(ready, refused)


def trash_documents(actor: Actor, selection: Selection) -> BulkResult:
    """Put documents into the trash.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: nothing was chosen.
    """
    base = _editable(actor, selection)
    allowed, refused = _changeable(actor, selected(actor, selection))
    with transaction.atomic():
        put_into_trash(actor, allowed)
        record_audit(actor, "document.trash", target=base, base_id=base.pk, documents=len(allowed))
    return _result(allowed, refused)


def _editable(actor: Actor, selection: Selection) -> KnowledgeBase:
    base = get_base(actor, selection.base_id)
    require(actor, "edit", base)
    return base


def _changeable(
    actor: Actor, documents: Sequence[Document]
) -> tuple[list[Document], list[Refused]]:
    """Part what the actor may change from what they only see."""
    ids = [each.pk for each in documents]
    rows = visible(actor, "change", Document.objects.filter(pk__in=ids))
    mine = set(rows.values_list("pk", flat=True))
    refused = [
        Refused(name=each.name, reason=_("It is not yours to change."))
        for each in documents
        if each.pk not in mine
    ]
    return [each for each in documents if each.pk in mine], refused


def _refusal_to_read(document: Document) -> str:
    """Return why the document is not read again now; blank when it can be."""
    if document.is_draft:
        return _("It is a draft: publish it, and it is read.")
    if document.reason_code == "infected":
        return _("The virus scanner rejected it. Upload a clean file as a new version.")
    if document.state not in RETRYABLE_STATES:
        return _("It is being read already.")
    return ""


def _result(done: Sequence[Document], refused: Sequence[Refused]) -> BulkResult:
    return BulkResult(done=tuple(each.pk for each in done), refused=tuple(refused))
