"""Holds a document back until the virus scanner has said that its file is clean."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import ServiceFailed
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext, RetryJob
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.jobs import INGEST_DOCUMENT
from knowledge.models import Document
from knowledge.services.documents import INFECTED, UNSCANNED
from knowledge.services.removal import release_file
from knowledge.sources.virus import scan
from knowledge.storage import open_file

WAIT_SECONDS = 30.0


def scan_document(context: JobContext, *, document_id: UUID, attempt: int) -> None:
    """Scan a document's file; a clean one is read, an infected one refused and taken out of the store.

    Raises:
        RetryJob: the scanner is away; the document says so and waits.
    """
    document = Document.objects.filter(
        pk=document_id, attempt=attempt, state__in=OPEN_STATES
    ).first()
    if document is None:
        return
    virus = _virus_in(document)
    with transaction.atomic():
        context.check_lease()
        if virus:
            _refuse(document, virus)
        else:
            _read(document)


def _virus_in(document: Document) -> str:
    if not settings.CLAMD_ADDRESS:
        return ""  # it was switched off while the document waited
    try:
        with open_file(document.space_id, document.content_hash) as content:
            return scan(content, address=settings.CLAMD_ADDRESS).virus
    except ServiceFailed as failure:
        Document.objects.filter(pk=document.pk, attempt=document.attempt).update(
            reason_code=UNSCANNED,
            reason=_("%(reason)s The document waits and is scanned automatically.")
            % {"reason": failure.message},
        )
        raise RetryJob(failure.message, delay_seconds=WAIT_SECONDS) from failure


def _read(document: Document) -> None:
    document.reason_code = document.reason = ""
    document.job_id = enqueue(
        INGEST_DOCUMENT, document_id=str(document.pk), attempt=document.attempt
    )
    document.save(update_fields=["job_id", "reason_code", "reason"])


def _refuse(document: Document, virus: str) -> None:
    space_id, content_hash = document.space_id, document.content_hash
    Document.objects.filter(pk=document.pk, attempt=document.attempt).update(
        state=DocumentState.REFUSED,
        reason_code=INFECTED,
        reason=_(
            "The virus scanner found “%(virus)s” in it. The file is not kept; nothing of it was"
            " read. Clean it, and upload it again."
        )
        % {"virus": virus},
        content_hash="",
        size_bytes=0,
        updated_at=timezone.now(),
    )
    release_file(space_id, content_hash)
