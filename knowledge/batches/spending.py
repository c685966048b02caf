"""Counts what the documents of a batch use, pauses the batch at its cap, and ends it when all is done."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from core.jobs.handlers import JobCancelled
from knowledge.constants import OPEN_STATES, BatchState, DocumentState, EnrichmentState
from knowledge.ingest.stages import StagePaused
from knowledge.models import Document, IngestBatch

PAUSED = "batch_paused"
"""Code of documents that wait because their batch does."""
_PAUSED_WORDS = gettext_noop(
    "Its batch is paused: it has used what it may. Raise the limit of the batch to go on, or cancel it."
)
COMING_WITHIN = timedelta(minutes=15)
"""After the last file so much later no more is expected to come."""


class BatchPaused(StagePaused):
    """The document's batch has reached its cap: nothing more is begun."""


def check_batch(document: Document) -> None:
    """Return when the document may go on.

    Raises:
        BatchPaused: its batch is at its cap, or waits for a yes.
        JobCancelled: its batch was cancelled.
    """
    if document.batch_id is None:
        return
    rows = IngestBatch.objects.filter(pk=document.batch_id)
    state = rows.values_list("state", flat=True).first()
    if state in (BatchState.PAUSED, BatchState.ESTIMATED):
        raise BatchPaused(_PAUSED_WORDS)
    if state == BatchState.CANCELLED:
        raise JobCancelled("Its batch was canceled.")


def spend(document: Document, *, tokens: int, cents: Decimal) -> None:
    """Count what one call used; at its cap the batch pauses."""
    if document.batch_id is None:
        return
    batch = IngestBatch.objects.filter(pk=document.batch_id)
    batch.update(spent_tokens=F("spent_tokens") + tokens, spent_cents=F("spent_cents") + cents)
    at_cap = Q(cap_tokens__lte=F("spent_tokens")) | Q(cap_cents__lte=F("spent_cents"))
    batch.filter(at_cap, state=BatchState.RUNNING).update(state=BatchState.PAUSED)


def put_back(document: Document) -> None:
    """Let a document wait, with words, until its batch goes on."""
    Document.objects.filter(pk=document.pk, attempt=document.attempt, state__in=OPEN_STATES).update(
        state=DocumentState.PENDING,
        reason_code=PAUSED,
        reason=_PAUSED_WORDS,
        updated_at=timezone.now(),
    )


def settle_batch(document: Document) -> None:
    """End the document's batch if this was the last of it.

    It is looked at once the transaction is committed: two that end together must see each other.
    """
    if document.batch_id is not None:
        batch_id = document.batch_id
        transaction.on_commit(lambda: settle(batch_id))


def settle(batch_id: UUID) -> None:
    """End a batch whose files have all come in and been worked on."""
    batch = IngestBatch.objects.filter(pk=batch_id, state=BatchState.RUNNING).first()
    if batch is None:
        return
    documents = Document.objects.filter(batch=batch)
    at_work = Q(state__in=OPEN_STATES) | Q(enrichment=EnrichmentState.RUNNING)
    if documents.filter(at_work, trashed_at__isnull=True).exists():
        return
    expected = int(batch.estimate.get("documents", 0))
    newest = documents.order_by("-created_at").values_list("created_at", flat=True).first()
    quiet = (newest or batch.created_at) < timezone.now() - COMING_WITHIN
    if documents.count() >= expected or quiet or batch.uploads.get("is_complete"):
        IngestBatch.objects.filter(pk=batch.pk, state=BatchState.RUNNING).update(
            state=BatchState.DONE, ended_at=timezone.now()
        )
