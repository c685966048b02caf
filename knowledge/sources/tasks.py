"""The jobs that bring files in: ids in, one service, failures told where people look."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from core.jobs.handlers import JobContext, handles
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.models import Document
from knowledge.sources.addresses import fetch_document
from knowledge.sources.jobs import FETCH_DOCUMENT, SCAN_DOCUMENT
from knowledge.sources.scanning import scan_document


def _failed(arguments: dict[str, Any], reason: str) -> None:
    _present(arguments).update(
        state=DocumentState.FAILED,
        reason_code="unreachable",
        reason=_("%(reason)s Try again later.") % {"reason": reason},
    )


def _waits(arguments: dict[str, Any], reason: str) -> None:
    _present(arguments).update(
        reason=_("%(reason)s It is tried again automatically.") % {"reason": reason}
    )


def _present(arguments: dict[str, Any]) -> Any:
    return Document.objects.filter(
        pk=arguments["document_id"], attempt=arguments["attempt"], state__in=OPEN_STATES
    )


@handles(FETCH_DOCUMENT, on_failure=_failed, on_retry=_waits)
def fetch(context: JobContext, *, document_id: str, attempt: int) -> None:
    """Fetch what is at a document's address."""
    fetch_document(context, document_id=UUID(document_id), attempt=attempt)


@handles(SCAN_DOCUMENT, on_failure=_failed)
def scan(context: JobContext, *, document_id: str, attempt: int) -> None:
    """Ask the virus scanner about a document's file."""
    scan_document(context, document_id=UUID(document_id), attempt=attempt)
