"""The queue of building: documents that wait, who has them, and what becomes of what failed.

A batch's claim is the id of its job: a job that is taken over by another worker finds its documents
again. Two batches never have the same document.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.jobs.enqueue import enqueue
from core.jobs.standing import jobs_over
from knowledge.models import Document, KnowledgeBase
from wiki.constants import OperationKind, OperationState
from wiki.jobs import BUILD_PAGES
from wiki.models import WikiBuild, WikiOperation, WikiSettings

DEBOUNCE_SECONDS: Final = 30.0
MOST_ATTEMPTS: Final = 5
_PAUSE_SECONDS: Final = 30.0
"""After the first failed attempt; then twice as long each time."""
OPEN: Final = (OperationState.PENDING, OperationState.CLAIMED)


@transaction.atomic
def put_operation(
    base: KnowledgeBase,
    document_id: UUID,
    kind: OperationKind,
    *,
    name: str = "",
    build: WikiBuild | None = None,
    delay_seconds: float = DEBOUNCE_SECONDS,
) -> WikiOperation:
    """Let a document wait to be built in or taken out; one that waits already is changed to this."""
    due = timezone.now() + timedelta(seconds=delay_seconds)
    row, is_new = WikiOperation.objects.select_for_update().get_or_create(
        document_id=document_id,
        state=OperationState.PENDING,
        defaults={
            "space_id": base.space_id,
            "base": base,
            "kind": kind,
            "document_name": name[:255],
            "not_before": due,
            "build": build,
        },
    )
    if not is_new:
        row.kind, row.not_before, row.attempts, row.error = kind, due, 0, ""
        row.document_name = name[:255] or row.document_name
        row.build = build or row.build
        row.save()
    go_on(base.pk, delay_seconds=delay_seconds)
    return row


def go_on(base_id: UUID, *, delay_seconds: float = 0.0) -> None:
    """See that a job looks at the base's queue; one that waits already is enough."""
    enqueue(BUILD_PAGES, dedupe_key=str(base_id), delay_seconds=delay_seconds, base_id=str(base_id))


@transaction.atomic
def claim_batch(settings: WikiSettings, job_id: UUID) -> list[WikiOperation]:
    """Take the next documents for a job, or return those that it has already.

    None when nothing is due, or as many batches run as may.
    """
    WikiSettings.objects.select_for_update().get(pk=settings.pk)
    rows = WikiOperation.objects.filter(base_id=settings.base_id)
    claimed = rows.filter(state=OperationState.CLAIMED)
    mine = list(claimed.filter(claim=job_id).order_by("created_at"))
    if mine:
        return mine
    running = claimed.values("claim").order_by().distinct().count()
    if running >= settings.max_batches:
        return []
    due = rows.filter(state=OperationState.PENDING, not_before__lte=timezone.now())
    due = due.exclude(document_id__in=claimed.values("document_id"))
    chosen = list(due.select_for_update().order_by("created_at")[: max(1, settings.batch_size)])
    now = timezone.now()
    for row in chosen:
        row.state, row.claim, row.claimed_at = OperationState.CLAIMED, job_id, now
        row.attempts += 1
    WikiOperation.objects.bulk_update(chosen, ["state", "claim", "claimed_at", "attempts"])
    return chosen


def finish(operations: Sequence[WikiOperation], failures: dict[UUID, str]) -> None:
    """Settle a batch: what went well is done, what did not is tried again, or waits for a person."""
    for row in operations:
        if row.document_id in failures:
            fail(row, failures[row.document_id])
        else:
            _settle(row, OperationState.DONE)


def fail(row: WikiOperation, reason: str, *, is_final: bool = False) -> None:
    """Let a document wait for its next try, or for a person when there was no lack of tries."""
    if is_final or row.attempts >= MOST_ATTEMPTS:
        _settle(row, OperationState.DEAD, error=reason)
        return
    release([row], error=reason, delay_seconds=_PAUSE_SECONDS * 2 ** max(0, row.attempts - 1))


def release(
    operations: Sequence[WikiOperation],
    *,
    error: str = "",
    delay_seconds: float = 0.0,
    is_counted: bool = True,
) -> None:
    """Give documents back to the queue; the same document waiting there again makes them done."""
    for row in operations:
        with transaction.atomic():
            waits = WikiOperation.objects.filter(
                document_id=row.document_id, state=OperationState.PENDING
            )
            if waits.exists():
                _settle(row, OperationState.DONE, error=error)
                continue
            attempts = row.attempts if is_counted else max(0, row.attempts - 1)
            _mine(row).update(
                state=OperationState.PENDING,
                claim=None,
                claimed_at=None,
                attempts=attempts,
                error=error,
                not_before=timezone.now() + timedelta(seconds=delay_seconds),
                updated_at=timezone.now(),
            )
    for base_id in {row.base_id for row in operations}:
        go_on(base_id, delay_seconds=delay_seconds)


def release_lost(rows: QuerySet[WikiOperation]) -> None:
    """Give back what jobs have that are over: their workers died, or they failed."""
    claimed = list(rows.filter(state=OperationState.CLAIMED, claim__isnull=False))
    over = jobs_over({row.claim for row in claimed if row.claim is not None})
    for row in claimed:
        if row.claim in over:
            fail(row, over[row.claim].reason)


@transaction.atomic
def stop_operations(build: WikiBuild) -> int:
    """Cancel what waits of a building; return how many documents that were."""
    rows = WikiOperation.objects.filter(build=build, state=OperationState.PENDING)
    return rows.update(state=OperationState.CANCELLED, updated_at=timezone.now())


def end_builds(build_ids: Collection[UUID]) -> None:
    """Write the end of buildings of which nothing is open any more."""
    for build in WikiBuild.objects.filter(pk__in=build_ids, ended_at__isnull=True):
        if not build.operations.filter(state__in=OPEN).exists():
            WikiBuild.objects.filter(pk=build.pk).update(ended_at=timezone.now())


def name_of(document_id: UUID) -> str:
    """Return the name of a document; blank when it is gone."""
    return Document.objects.filter(pk=document_id).values_list("name", flat=True).first() or ""


def _settle(row: WikiOperation, state: OperationState, *, error: str = "") -> None:
    _mine(row).update(state=state, claim=None, error=error, updated_at=timezone.now())


def _mine(row: WikiOperation) -> QuerySet[WikiOperation]:
    """Return the row while it is the caller's: a batch that lost its claim settles nothing."""
    return WikiOperation.objects.filter(pk=row.pk, state=OperationState.CLAIMED, claim=row.claim)
