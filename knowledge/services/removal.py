"""Removes what documents and bases hold, once nobody sees them any more. Safe to run twice."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from core.jobs.handlers import JobContext
from knowledge.constants import DocumentState
from knowledge.ingest.index import unindex_document
from knowledge.models import Document, KnowledgeBase
from knowledge.signals import document_removed
from knowledge.storage import delete_file


def remove_document(document_id: UUID) -> None:
    """Delete a document that is in state "deleting": index, passages, row, and its unshared file."""
    document = Document.objects.filter(pk=document_id, state=DocumentState.DELETING).first()
    if document is not None:
        _remove(document)


def remove_base(context: JobContext, *, base_id: UUID) -> None:
    """Delete a base that was taken out of sight, document by document, then its row."""
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=False).first()
    if base is None:
        return
    Document.objects.filter(base=base).update(state=DocumentState.DELETING, searchable_at=None)
    for document in Document.objects.filter(base=base).iterator(chunk_size=100):
        context.check()
        _remove(document)
    base.delete()


def _remove(document: Document) -> None:
    with transaction.atomic():
        unindex_document(document)
        space_id, content_hash = document.space_id, document.content_hash
        document_id, base_id = document.pk, document.base_id
        document.delete()
        if not Document.objects.filter(content_hash=content_hash).exists():
            transaction.on_commit(lambda: delete_file(space_id, content_hash))
        transaction.on_commit(
            lambda: document_removed.send(sender=Document, document_id=document_id, base_id=base_id)
        )
