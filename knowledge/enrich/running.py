"""Runs one enrichment as a job: it may run twice, is dropped when outdated, and fails no document."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from core.errors import ServiceFailed
from core.jobs.handlers import JobCancelled, JobContext, handles
from knowledge.base_settings import document_settings_of
from knowledge.batches.spending import BatchPaused
from knowledge.constants import DocumentState, StageState
from knowledge.enrich.plan import settle_enrichment
from knowledge.enrich.registry import Enriching, Enrichment, register
from knowledge.ingest.stages import stage
from knowledge.models import Document, Stage
from providers.contracts.errors import ModelError


def register_enrichment(enrichment: Enrichment) -> None:
    """Make an enrichment known, with the handler of its job."""
    register(enrichment)

    def run(context: JobContext, *, document_id: str, attempt: int, **cursor: Any) -> None:
        _run(enrichment, context, UUID(document_id), attempt, cursor)

    def failed(arguments: dict[str, Any], reason: str) -> None:
        _stage_of(enrichment, arguments).update(
            state=StageState.FAILED, error=reason, ended_at=timezone.now()
        )
        _settle(arguments)

    def waits(arguments: dict[str, Any], reason: str) -> None:
        _stage_of(enrichment, arguments).update(
            state=StageState.WAITING,
            error=_("%(reason)s It is tried again automatically.") % {"reason": reason},
            ended_at=None,
        )
        _settle(arguments)

    handles(enrichment.job, on_failure=failed, on_retry=waits)(run)


def _run(
    enrichment: Enrichment,
    context: JobContext,
    document_id: UUID,
    attempt: int,
    cursor: dict[str, Any],
) -> None:
    document = present(document_id, attempt)
    if document is None:
        return
    try:
        with stage(document, enrichment.stage, resume=True) as report:
            report.note(cursor=cursor)
            enrichment.run(
                Enriching(
                    context=context,
                    document=document,
                    settings=document_settings_of(document),
                    report=report,
                    cursor=cursor,
                )
            )
    except BatchPaused:
        _wait_for_batch(document, enrichment)
    except ModelError as error:
        raise ServiceFailed(
            _("The model failed: %(reason)s") % {"reason": error.message},
            retry=error.retry,
            retry_after_seconds=error.retry_after_seconds,
            provider_message=error.provider_message,
        ) from error
    except JobCancelled:
        settle_enrichment(document)
        raise
    settle_enrichment(document)


def present(document_id: UUID, attempt: int) -> Document | None:
    """Return the document while this attempt is what is found of it, and it is in nobody's trash."""
    rows = Document.objects.filter(pk=document_id, attempt=attempt, state=DocumentState.COMPLETED)
    document = rows.select_related("base__embedding_model").first()
    if document is not None and document.trashed_at is not None:
        Stage.objects.filter(document=document, attempt=attempt, state=StageState.WAITING).update(
            state=StageState.CANCELLED,
            error=gettext_noop("It is in the trash."),
            ended_at=timezone.now(),
        )
        settle_enrichment(document)
        return None
    return document


def _wait_for_batch(document: Document, enrichment: Enrichment) -> None:
    Stage.objects.filter(document=document, attempt=document.attempt, name=enrichment.stage).update(
        state=StageState.WAITING, ended_at=None
    )


def _stage_of(enrichment: Enrichment, arguments: dict[str, Any]) -> QuerySet[Stage]:
    return Stage.objects.filter(
        document_id=arguments["document_id"], attempt=arguments["attempt"], name=enrichment.stage
    )


def _settle(arguments: dict[str, Any]) -> None:
    document = Document.objects.filter(
        pk=arguments["document_id"], attempt=arguments["attempt"]
    ).first()
    if document is not None:
        settle_enrichment(document)
