"""The jobs of this app: ids in, one service, failures told where people look."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobContext, handles
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.ingest.pipeline import ingest_document, refuse
from knowledge.jobs import INGEST_DOCUMENT, REMOVE_BASE, REMOVE_DOCUMENT
from knowledge.models import Document
from knowledge.services.removal import remove_base, remove_document


def _ingestion_failed(arguments: dict[str, Any], reason: str) -> None:
    document = Document.objects.filter(pk=arguments["document_id"]).first()
    if document is not None and document.attempt == arguments["attempt"]:
        refuse(document, code="crashed", reason=reason)


def _ingestion_waits(arguments: dict[str, Any], reason: str) -> None:
    Document.objects.filter(
        pk=arguments["document_id"], attempt=arguments["attempt"], state__in=OPEN_STATES
    ).update(state=DocumentState.PENDING, reason=f"{reason} It is tried again by itself.")


@handles(INGEST_DOCUMENT, on_failure=_ingestion_failed, on_retry=_ingestion_waits)
def ingest(context: JobContext, *, document_id: str, attempt: int) -> None:
    """Bring a document into its base."""
    ingest_document(context, document_id=UUID(document_id), attempt=attempt)


@handles(REMOVE_DOCUMENT)
def remove_one(_: JobContext, *, document_id: str) -> None:
    """Remove a deleted document."""
    remove_document(UUID(document_id))


@handles(REMOVE_BASE)
def remove_whole_base(context: JobContext, *, base_id: str) -> None:
    """Remove a deleted base."""
    remove_base(context, base_id=UUID(base_id))
