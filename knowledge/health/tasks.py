"""The job that reads a file with another engine."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobCancelled, JobContext, handles
from knowledge.health.jobs import PROPOSE_TEXT
from knowledge.health.proposals import settle
from knowledge.ingest.parse import ParseCancelled
from knowledge.ingest.read import read_otherwise
from knowledge.models import Document
from knowledge.parsers.contract import ParseRefused


def _failed(arguments: dict[str, Any], reason: str) -> None:
    document = Document.objects.filter(pk=arguments["document_id"]).first()
    if document is not None:
        settle(
            document,
            engine=arguments["engine"],
            attempt=arguments["attempt"],
            reason=reason,
            check=lambda: None,
        )


@handles(PROPOSE_TEXT, on_failure=_failed)
def propose_text(context: JobContext, *, document_id: str, attempt: int, engine: str) -> None:
    """Read a file with another engine, and keep the text beside the document's own."""
    document = Document.objects.filter(pk=UUID(document_id), attempt=attempt).first()
    if document is None:
        return
    reason = ""
    try:
        read_otherwise(document, engine=engine, should_cancel=lambda: context.cancelled)
    except ParseRefused as refusal:
        reason = refusal.reason
    except ParseCancelled as stop:
        raise JobCancelled(str(stop)) from stop
    settle(document, engine=engine, attempt=attempt, reason=reason, check=context.check_lease)
