"""The jobs of this app: ids in, one service, failures told where people look."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from core.jobs.handlers import JobCancelled, JobContext, handles
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.enrich import tasks as enrichment_tasks  # noqa: F401 - registers their handlers
from knowledge.ingest.parse import ParseCancelled
from knowledge.ingest.pipeline import ingest_document, refuse
from knowledge.jobs import ADD_MEMBERS, INGEST_DOCUMENT, REMOVE_BASE, REMOVE_DOCUMENT
from knowledge.models import Document
from knowledge.services import kept_texts  # noqa: F401 - registers what they leave in the store
from knowledge.services.members import add_members
from knowledge.services.removal import remove_base, remove_document


def _ingestion_failed(arguments: dict[str, Any], reason: str) -> None:
    document = Document.objects.filter(pk=arguments["document_id"]).first()
    if document is not None and document.attempt == arguments["attempt"]:
        refuse(document, code="crashed", reason=reason)


def _ingestion_waits(arguments: dict[str, Any], reason: str) -> None:
    Document.objects.filter(
        pk=arguments["document_id"], attempt=arguments["attempt"], state__in=OPEN_STATES
    ).update(
        state=DocumentState.PENDING,
        reason=_("%(reason)s It is tried again automatically.") % {"reason": reason},
    )


@handles(INGEST_DOCUMENT, on_failure=_ingestion_failed, on_retry=_ingestion_waits)
def ingest(context: JobContext, *, document_id: str, attempt: int) -> None:
    """Bring a document into its base."""
    ingest_document(context, document_id=UUID(document_id), attempt=attempt)


@handles(REMOVE_DOCUMENT)
def remove_one(_context: JobContext, *, document_id: str) -> None:
    """Remove a deleted document."""
    remove_document(UUID(document_id))


@handles(REMOVE_BASE)
def remove_whole_base(context: JobContext, *, base_id: str) -> None:
    """Remove a deleted base."""
    remove_base(context, base_id=UUID(base_id))


@handles(ADD_MEMBERS)
def add_members_of(context: JobContext, *, document_id: str, attempt: int) -> None:
    """Make documents of what is inside of another."""
    try:
        add_members(context, document_id=UUID(document_id), attempt=attempt)
    except ParseCancelled as stop:
        raise JobCancelled(str(stop)) from stop
