"""Use cases of batches: begin one with its cap, raise the cap, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from core.jobs.enqueue import cancel_job
from knowledge.batches.estimate import Estimate, estimate
from knowledge.batches.spending import PAUSED, settle
from knowledge.constants import OPEN_STATES, BatchState, DocumentState, StageState
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.enrich.registry import enrichment_of
from knowledge.models import Document, IngestBatch, Stage
from knowledge.organising.bulk import Selection, read_all_again
from knowledge.queries import get_base
from knowledge.services.documents import start_reading

MOST_FILES = 100_000
MOST_FAILED = 1_000
_MOST_CHARACTERS = 500
FAILED_STATES = (DocumentState.FAILED, DocumentState.REFUSED)
"""What a retry of all may help; what needs a password is asked for on its own page."""
_OPEN = (BatchState.RUNNING, BatchState.PAUSED)


def estimate_batch(actor: Actor, *, base_id: UUID, files: Sequence[tuple[str, int]]) -> Estimate:
    """Return what an upload of these files (name, bytes) would take.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: there are no files, or too many.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    if not 1 <= len(files) <= MOST_FILES:
        raise Invalid(
            _("A batch has 1 to %(most)s files; split larger uploads.")
            % {"most": f"{MOST_FILES:,}"}
        )
    return estimate(base, files)


def begin_batch(
    actor: Actor,
    *,
    base_id: UUID,
    files: Sequence[tuple[str, int]],
    cap_tokens: int | None = None,
    cap_cents: int | None = None,
) -> IngestBatch:
    """Begin a batch; documents that are added with its id count for it, and it pauses at a cap.

    Raises:
        NotFound, AccessDenied, Invalid: as for `estimate_batch`; or a cap is not above 0.
    """
    expected = estimate_batch(actor, base_id=base_id, files=files)
    _check_caps(cap_tokens, cap_cents)
    with transaction.atomic():
        batch = IngestBatch.objects.create(
            space_id=actor.space_id,
            base_id=base_id,
            estimate=expected.to_json(),
            cap_tokens=cap_tokens,
            cap_cents=cap_cents,
            created_by_id=actor.user_id,
        )
        record_audit(
            actor,
            "batch.begin",
            target=batch.base,
            base_id=base_id,
            documents=expected.documents,
            cap_tokens=cap_tokens,
            cap_cents=cap_cents,
        )
    return batch


def list_batches(actor: Actor, base_id: UUID) -> QuerySet[IngestBatch]:
    """Return a base's batches, the newest first.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    rows = IngestBatch.objects.filter(base=base).select_related("created_by")
    return visible(actor, "view", rows)


def get_batch(actor: Actor, batch_id: UUID, *, base_id: UUID | None = None) -> IngestBatch:
    """Return a batch that the actor sees; with `base_id` only one of that base.

    Raises:
        NotFound: there is none.
    """
    rows = IngestBatch.objects.filter(pk=batch_id).select_related("base", "created_by")
    if base_id is not None:
        rows = rows.filter(base_id=base_id)
    batch = visible(actor, "view", rows).first()
    if batch is None:
        raise NotFound(_("There is no such batch."))
    return batch


def batch_to_fill(actor: Actor, *, base_id: UUID, batch_id: UUID) -> IngestBatch:
    """Return the batch that an upload may be added to; one that was done is open again.

    Raises:
        NotFound: there is none in this base.
        AccessDenied: as `require` has it for changing the batch.
        Conflict: it was cancelled.
    """
    batch = get_batch(actor, batch_id, base_id=base_id)
    require(actor, "change", batch)
    if batch.state == BatchState.CANCELLED:
        raise Conflict(_("The batch was canceled. Add the file again on its own."))
    _reopen(batch)
    return batch


def end_uploads(actor: Actor, *, batch_id: UUID, failed: Sequence[tuple[str, str]]) -> None:
    """Write down that no more files come, and which (name, reason) did not arrive.

    It may be told again: what is tried again and comes then is no longer among the failed.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the batch.
    """
    with transaction.atomic():
        batch = _locked(actor, batch_id)
        kept = [
            {"name": name[:_MOST_CHARACTERS], "reason": reason[:_MOST_CHARACTERS]}
            for name, reason in failed[:MOST_FAILED]
        ]
        told = {"is_complete": True, "failed": kept, "failed_total": len(failed)}
        batch.uploads = {**batch.uploads, **told}
        batch.save(update_fields=["uploads"])
        transaction.on_commit(lambda: settle(batch.pk))


def retry_failed(actor: Actor, *, batch_id: UUID) -> int:
    """Read all documents of the batch again that failed or were rejected; returns how many.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the batch.
        Conflict: none of them can be read again.
    """
    batch = get_batch(actor, batch_id)
    require(actor, "change", batch)
    ids = Document.objects.filter(batch=batch, state__in=FAILED_STATES).values_list("pk", flat=True)
    if not ids:
        raise Conflict(_("No document of the batch failed."))
    selection = Selection(base_id=batch.base_id, document_ids=tuple(ids))
    with transaction.atomic():
        _reopen(batch)
        done = read_all_again(actor, selection).done
    if not done:
        raise Conflict(_("None of them can be read again; the list gives the reasons."))
    return len(done)


def resume_batch(
    actor: Actor, *, batch_id: UUID, cap_tokens: int | None, cap_cents: int | None
) -> IngestBatch:
    """Go on with a paused batch under new caps; None means without one.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the batch.
        Conflict: it is not paused.
        Invalid: a cap is used up already.
    """
    with transaction.atomic():
        batch = _locked(actor, batch_id)
        if batch.state != BatchState.PAUSED:
            raise Conflict(_("The batch is not paused."))
        _check_caps(cap_tokens, cap_cents)
        used_up = (cap_tokens is not None and cap_tokens <= batch.spent_tokens) or (
            cap_cents is not None and cap_cents <= batch.spent_cents
        )
        if used_up:
            spent = {"tokens": f"{batch.spent_tokens:,}", "money": f"{batch.spent_cents / 100:.2f}"}
            raise Invalid(
                _(
                    "%(tokens)s tokens, which cost %(money)s, are used already; enter more than that."
                )
                % spent
            )
        batch.state = BatchState.RUNNING
        batch.cap_tokens, batch.cap_cents = cap_tokens, cap_cents
        batch.save(update_fields=["state", "cap_tokens", "cap_cents"])
        _go_on(batch)
        record_audit(actor, "batch.resume", target=batch.base, base_id=batch.base_id)
        transaction.on_commit(lambda: settle(batch.pk))
    return batch


def cancel_batch(actor: Actor, *, batch_id: UUID) -> IngestBatch:
    """Stop a batch: what is ready stays, what waits is stopped and can be read again singly.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the batch.
        Conflict: it is over.
    """
    with transaction.atomic():
        batch = _locked(actor, batch_id)
        if batch.state not in _OPEN:
            raise Conflict(_("The batch is over."))
        waiting = Document.objects.filter(batch=batch, state__in=OPEN_STATES)
        jobs = [each for each in waiting.values_list("job_id", flat=True) if each]
        # Out of the batch: to read one again is its own wish, not the batch's.
        stopped = waiting.update(
            state=DocumentState.CANCELLED,
            reason_code="cancelled",
            reason=gettext_noop("Its batch was canceled."),
            batch=None,
            updated_at=timezone.now(),
        )
        for job_id in jobs:
            cancel_job(job_id)
        batch.state, batch.ended_at = BatchState.CANCELLED, timezone.now()
        batch.uploads = {**batch.uploads, "stopped": stopped}
        batch.save(update_fields=["state", "ended_at", "uploads"])
        record_audit(
            actor, "batch.cancel", target=batch.base, base_id=batch.base_id, documents=len(jobs)
        )
    return batch


def _locked(actor: Actor, batch_id: UUID) -> IngestBatch:
    batch = get_batch(actor, batch_id)
    require(actor, "change", batch)
    return IngestBatch.objects.select_for_update().get(pk=batch.pk)


def _reopen(batch: IngestBatch) -> None:
    IngestBatch.objects.filter(pk=batch.pk, state=BatchState.DONE).update(
        state=BatchState.RUNNING, ended_at=None
    )


def _check_caps(*caps: int | None) -> None:
    if any(cap is not None and cap < 1 for cap in caps):
        raise Invalid(_("A limit is a whole number above 0; leave it blank for none."))


def _go_on(batch: IngestBatch) -> None:
    """Give what was put back its jobs again: documents that wait, and enrichments."""
    for document in Document.objects.filter(batch=batch, state=DocumentState.PENDING):
        if document.reason_code == PAUSED:
            start_reading(document)
    waiting = Stage.objects.filter(
        document__batch=batch,
        document__state=DocumentState.COMPLETED,
        state=StageState.WAITING,
    ).select_related("document")
    for stage in waiting:
        enrichment = enrichment_of(stage.name)
        if enrichment is not None and stage.attempt == stage.document.attempt:
            enqueue_enrichment(stage.document, enrichment, **stage.detail.get("cursor", {}))
