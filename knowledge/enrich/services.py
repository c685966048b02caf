"""Use cases of enrichment: stop it."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict
from core.jobs.enqueue import cancel_jobs
from knowledge.constants import ENRICHMENT_STAGES, EnrichmentState, StageState
from knowledge.enrich.plan import enrichment_key, settle_enrichment
from knowledge.enrich.registry import enrichments
from knowledge.models import Document, Stage
from knowledge.queries import get_document


def stop_enrichment(actor: Actor, *, document_id: UUID) -> Document:
    """Stop what a model still adds to a document; what was added stays, and it is found as before.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Conflict: nothing is being added.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    if document.enrichment != EnrichmentState.RUNNING:
        raise Conflict(
            _("Nothing is being added to “%(name)s”: there is nothing to stop.")
            % {"name": document.name}
        )
    with transaction.atomic():
        for each in enrichments():
            cancel_jobs(each.job, dedupe_key=enrichment_key(document.pk, document.attempt))
        Stage.objects.filter(
            document=document,
            attempt=document.attempt,
            name__in=ENRICHMENT_STAGES,
            state__in=(StageState.WAITING, StageState.RUNNING),
        ).update(
            state=StageState.CANCELLED,
            error=gettext_noop("Stopped by a person."),
            ended_at=timezone.now(),
        )
        settle_enrichment(document)
        record_audit(actor, "document.enrichment_stop", target=document)
    document.refresh_from_db()
    return document
