"""Which enrichments a document gets, and how far all of them together are."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.jobs.enqueue import enqueue
from knowledge.base_settings import BaseSettings
from knowledge.batches.spending import settle_batch
from knowledge.constants import ENRICHMENT_STAGES, EnrichmentState, StageState
from knowledge.enrich.asking import no_model_reason
from knowledge.enrich.registry import Enrichment, enrichments
from knowledge.models import Document, Stage

_AT_WORK = {StageState.WAITING, StageState.RUNNING}
_CUT_SHORT = {StageState.FAILED, StageState.CANCELLED}


def begin_enrichment(document: Document, settings: BaseSettings) -> None:
    """Enqueue what this document gets; called in the transaction that makes it searchable.

    What needs a model that the space does not have is skipped, and the timeline says why.
    """
    wanted = [each for each in enrichments() if each.wanted(document, settings)]
    reason = ""
    if any(each.needs_chat for each in wanted):
        reason = no_model_reason(document.space_id)
    begun = [each for each in wanted if not (each.needs_chat and reason)]
    Stage.objects.bulk_create(
        [_row(document, each, skipped="" if each in begun else reason) for each in wanted],
        ignore_conflicts=True,
    )
    state = EnrichmentState.RUNNING if begun else EnrichmentState.NONE
    Document.objects.filter(pk=document.pk).update(enrichment=state)
    for each in begun:
        enqueue_enrichment(document, each)


def enqueue_enrichment(
    document: Document, enrichment: Enrichment, *, delay_seconds: float = 0.0, **cursor: Any
) -> None:
    """Add the job of an enrichment, unless it waits already."""
    enqueue(
        enrichment.job,
        dedupe_key=enrichment_key(document.pk, document.attempt),
        delay_seconds=delay_seconds,
        document_id=str(document.pk),
        attempt=document.attempt,
        **cursor,
    )


def enrichment_key(document_id: UUID, attempt: int) -> str:
    """Return the key of an attempt's jobs of one kind."""
    return f"{document_id}:{attempt}"


def settle_enrichment(document: Document) -> None:
    """Write how far all enrichments of the attempt are."""
    with transaction.atomic():
        # One at a time: of two that end together the second must see the first.
        rows = Document.objects.select_for_update().filter(pk=document.pk, attempt=document.attempt)
        if not rows.exists():
            return
        stages = Stage.objects.filter(
            document=document, attempt=document.attempt, name__in=ENRICHMENT_STAGES
        )
        found = {StageState(state) for state in stages.values_list("state", flat=True)}
        Document.objects.filter(pk=document.pk).update(
            enrichment=_together(found), updated_at=timezone.now()
        )
        settle_batch(document)


def _together(states: set[StageState]) -> EnrichmentState:
    if states & _AT_WORK:
        return EnrichmentState.RUNNING
    if states & _CUT_SHORT:
        return EnrichmentState.PARTLY
    return EnrichmentState.DONE if StageState.DONE in states else EnrichmentState.NONE


def _row(document: Document, enrichment: Enrichment, *, skipped: str) -> Stage:
    return Stage(
        space_id=document.space_id,
        document=document,
        attempt=document.attempt,
        name=enrichment.stage,
        state=StageState.SKIPPED if skipped else StageState.WAITING,
        ended_at=timezone.now() if skipped else None,
        detail={"skipped": skipped} if skipped else {},
    )
