"""Removes what documents and bases hold, once nobody sees them any more. Safe to run twice."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db import transaction

from core.jobs.enqueue import cancel_job, enqueue
from core.jobs.handlers import JobContext
from core.tenancy import space_scope
from knowledge.access.fit import leave_trace, made_of
from knowledge.constants import DocumentState
from knowledge.ingest.index import unindex_document
from knowledge.ingest.read import kept_text_key
from knowledge.jobs import REMOVE_DOCUMENT
from knowledge.models import Document, DocumentVersion, KnowledgeBase
from knowledge.signals import document_removed
from knowledge.storage import PARSED_FOLDER, delete_file, delete_json

Leftovers = Callable[[Document], Callable[[], None]]
_leftovers: list[Leftovers] = []


def register_leftovers(find: Leftovers) -> Leftovers:
    """Register what else a document leaves behind in the store.

    `find` is called while its rows are there. What it returns is called once they are gone, in the
    same transaction and scope, and removes nothing from the store before that is committed.
    """
    _leftovers.append(find)
    return find


def remove_later(document: Document) -> None:
    """Take a document out of everybody's sight; a job removes what is left. Asks nobody."""
    if document.job_id:
        cancel_job(document.job_id)
    Document.objects.filter(pk=document.pk).update(state=DocumentState.DELETING, searchable_at=None)
    enqueue(REMOVE_DOCUMENT, dedupe_key=str(document.pk), document_id=str(document.pk))


def remove_document(document_id: UUID) -> None:
    """Delete a document that is in state "deleting": index, passages, row, its unshared file and text."""
    document = Document.objects.filter(pk=document_id, state=DocumentState.DELETING).first()
    if document is not None:
        _remove(document)


def remove_base(context: JobContext, *, base_id: UUID) -> None:
    """Delete a base that was taken out of sight, document by document, then its row."""
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=False).first()
    if base is None:
        return
    Document.objects.filter(base=base).update(state=DocumentState.DELETING, searchable_at=None)
    # What came in another document goes with it.
    whole = Document.objects.filter(base=base, parent__isnull=True)
    for document in whole.iterator(chunk_size=100):
        context.check()
        _remove(document)
    base.delete()


def _remove(document: Document) -> None:
    for member in Document.objects.filter(parent=document):
        _remove(member)
    with transaction.atomic():
        unindex_document(document)
        leave_trace(document)
        _close_what_was_made_of(document)
        afterwards = [find(document) for find in (*_leftovers, _files)]
        space_id, document_id, base_id = document.space_id, document.pk, document.base_id
        document.delete()
        for each in afterwards:
            each()
        transaction.on_commit(partial(_tell_removed, space_id, document_id, base_id))


def _tell_removed(space_id: int, document_id: UUID, base_id: UUID) -> None:
    """Announce it in the space's scope: what removes it may commit outside of any (an erasure)."""
    with space_scope(space_id):
        document_removed.send(sender=Document, document_id=document_id, base_id=base_id)


def _close_what_was_made_of(document: Document) -> None:
    """Take what was made of a restricted document out of sight: its walls go with the document.

    Who keeps it (the wiki) puts it back once it does not say any more what the document said.
    """
    if document.walls.exists():
        for made in made_of([document.pk]):
            remove_later(made)


def _files(document: Document) -> Callable[[], None]:
    """Return what removes the document's files and kept texts, its earlier ones, too."""
    space_id = document.space_id
    kept = [document]
    for version in DocumentVersion.objects.filter(document=document):
        kept.append(_as_it_was(document, version))
    names = {(each.content_hash, each.name, kept_text_key(each)) for each in kept}

    def remove() -> None:
        for content_hash, name, key in names:
            release_file(space_id, content_hash)
            same = {"space_id": space_id, "content_hash": content_hash, "name": name}
            if not Document.objects.filter(**same).exists():
                transaction.on_commit(partial(delete_json, space_id, PARSED_FOLDER, key))

    return remove


def release_file(space_id: int, content_hash: str) -> None:
    """Remove a file from the store on commit, when no document is, or was, of these bytes."""
    same = {"space_id": space_id, "content_hash": content_hash}
    if not content_hash or Document.objects.filter(**same).exists():
        return
    if not DocumentVersion.objects.filter(**same).exists():
        transaction.on_commit(partial(delete_file, space_id, content_hash))


def _as_it_was(document: Document, version: DocumentVersion) -> Document:
    earlier = copy.copy(document)
    earlier.name, earlier.content_hash = version.name, version.content_hash
    return earlier
