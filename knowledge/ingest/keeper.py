"""No document waits for a job that is over: it gets another one, or the reason why not.

And no batch waits for documents that have ended: its last one's worker may have died before it could
end the batch, and files that never came end nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from uuid import UUID

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from core.jobs.housekeeping import register_keeper
from core.jobs.standing import Over, jobs_over
from core.models import JobState
from core.tenancy import space_scope, unscoped
from knowledge.batches.spending import PAUSED, settle
from knowledge.constants import OPEN_STATES, BatchState, DocumentState
from knowledge.ingest.pipeline import refuse
from knowledge.models import Document, IngestBatch
from knowledge.services.documents import start_reading

EVERY_SECONDS = 60
QUIET = timedelta(minutes=2)
"""A document that was touched later is between two steps of a service."""
_LOOKED_AT_ONCE = 500
_KEY = "knowledge:waiting-documents"


def heal_waiting_documents() -> None:
    """Look through all that is not done, once a minute; housekeeping asks more often."""
    if cache.add(_KEY, 1, timeout=EVERY_SECONDS):
        heal_now()
        settle_batches()


def settle_batches() -> None:
    """End each batch of which nothing is at work any more."""
    with unscoped(reason="running batches of all spaces are looked through"):
        running = IngestBatch.objects.filter(state=BatchState.RUNNING)
        found = list(running.order_by("pk").values_list("space_id", "pk"))
    for space_id, batch_id in found:
        with space_scope(space_id):
            settle(batch_id)


def heal_now() -> int:
    """Look through the documents that are not done; return how many were helped."""
    helped = 0
    waiting = _waiting()
    while batch := list(islice(waiting, _LOOKED_AT_ONCE)):
        over = jobs_over([job_id for _, _, job_id in batch if job_id])
        for space_id, document_id, job_id in batch:
            if job_id is None or job_id in over:
                end = over[job_id] if job_id else Over(state=None, reason="")
                with space_scope(space_id):
                    helped += _help(document_id, job_id, end)
    return helped


def _waiting() -> Iterator[tuple[int, UUID, UUID | None]]:
    with unscoped(reason="waiting documents of all spaces are looked through"):
        rows = Document.objects.filter(
            state__in=OPEN_STATES,
            is_draft=False,
            trashed_at__isnull=True,
            updated_at__lt=timezone.now() - QUIET,
        ).exclude(reason_code=PAUSED)
        found = list(rows.order_by("pk").values_list("space_id", "pk", "job_id"))
    yield from found


def _help(document_id: UUID, job_id: UUID | None, end: Over) -> bool:
    """Do what the end of its job asks for; False when somebody was faster."""
    with transaction.atomic():
        document = (
            Document.objects.select_for_update()
            .filter(pk=document_id, job_id=job_id, state__in=OPEN_STATES)
            .first()
        )
        if document is None:
            return False
        if end.state == JobState.FAILED:
            refuse(document, code="crashed", reason=end.reason or "Its job failed.")
        elif end.state == JobState.CANCELLED:
            Document.objects.filter(pk=document.pk).update(
                state=DocumentState.CANCELLED,
                reason_code="cancelled",
                reason=f"Its job was stopped. {end.reason}".strip(),
            )
        else:
            document.state = DocumentState.PENDING
            document.save(update_fields=["state", "updated_at"])
            start_reading(document)
    return True


register_keeper(heal_waiting_documents)
