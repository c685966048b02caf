"""Use cases of a base's graph: have it read, stop that, empty it, try it out on a text."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, ProjectError, ServiceFailed
from core.jobs.enqueue import cancel_jobs, enqueue
from core.jobs.handlers import JobContext
from knowledge.base_settings import base_settings_of, document_settings_of
from knowledge.constants import EnrichmentState, StageName, StageState
from knowledge.enrich.asking import ask_for_person, no_model_reason
from knowledge.enrich.made import passages_of
from knowledge.enrich.plan import enqueue_enrichment, enrichment_key, settle_enrichment
from knowledge.graph.enrichment import ENRICHMENT, material_of, unread_of
from knowledge.graph.extraction import Extraction, extract
from knowledge.graph.queries import readable_documents
from knowledge.jobs import BUILD_GRAPH
from knowledge.models import (
    Document,
    GraphEntity,
    GraphMention,
    GraphPassage,
    GraphRelation,
    KnowledgeBase,
    Stage,
)
from knowledge.queries import get_base
from providers.contracts.errors import ModelError

PREVIEW_CHARACTERS = 5_000


def build_graph(actor: Actor, *, base_id: UUID) -> KnowledgeBase:
    """Have the graph read out of all documents of a base; what stands already costs nothing.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Conflict: its graph is switched off, or no model of the space writes.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    if not base_settings_of(base).graph.is_enabled:
        raise Conflict(_("The graph of this knowledge base is switched off; see its settings."))
    if reason := no_model_reason(base.space_id):
        raise Conflict(reason)
    with transaction.atomic():
        enqueue(BUILD_GRAPH, dedupe_key=str(base.pk), base_id=str(base.pk))
        record_audit(actor, "graph.build", target=base, base_id=base.pk)
    return base


def begin_documents(context: JobContext, *, base_id: UUID) -> None:
    """Begin the reading of each document of a base that has unread passages; may run twice."""
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True).first()
    if base is None or not base_settings_of(base).graph.is_enabled:
        return
    for document in readable_documents(base).select_related("base").iterator(chunk_size=200):
        context.check()
        try:
            settings = document_settings_of(document)
        except ProjectError:
            continue  # its timeline says so when it is read again
        if settings.graph.is_enabled and unread_of(passages_of(document), settings):
            _begin(document)


def stop_graph(actor: Actor, *, base_id: UUID) -> KnowledgeBase:
    """Stop the reading of a base's graph; what was read stays.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    with transaction.atomic():
        _stop(base)
        record_audit(actor, "graph.stop", target=base, base_id=base.pk)
    return base


def clear_graph(actor: Actor, *, base_id: UUID) -> KnowledgeBase:
    """Take everything out of a base's graph. The documents stay, and it can be read anew.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    with transaction.atomic():
        _stop(base)
        GraphPassage.objects.filter(document__base=base).delete()
        GraphMention.objects.filter(document__base=base).delete()
        GraphRelation.objects.filter(base=base).delete()
        GraphEntity.objects.filter(base=base).delete()
        record_audit(actor, "graph.clear", target=base, base_id=base.pk)
    return base


def preview_graph(actor: Actor, *, base_id: UUID, text: str) -> Extraction:
    """Return what would be read out of a text with the base's options; nothing is kept.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid: the text is blank or too long.
        Conflict: no model of the space writes, or a budget is spent.
        ServiceFailed: the model failed.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    text = text.replace("\x00", " ").strip()
    if not text:
        raise Invalid(_("There is no text to read; type or paste some."))
    if len(text) > PREVIEW_CHARACTERS:
        raise Invalid(
            _("The text has %(count)s characters; %(most)s are the most.")
            % {"count": f"{len(text):,}", "most": f"{PREVIEW_CHARACTERS:,}"}
        )
    try:
        return extract(
            partial(ask_for_person, actor),
            material=material_of("", (), text),
            ground=text,
            options=base_settings_of(base).graph,
        )
    except ModelError as error:
        raise ServiceFailed(
            _("The model failed: %(reason)s") % {"reason": error.message},
            retry=error.retry,
            provider_message=error.provider_message,
        ) from error


def _begin(document: Document) -> None:
    with transaction.atomic():
        Stage.objects.update_or_create(
            document=document,
            attempt=document.attempt,
            name=StageName.GRAPH,
            defaults={
                "space_id": document.space_id,
                "state": StageState.WAITING,
                "ended_at": None,
                "error": "",
                "error_code": "",
            },
        )
        Document.objects.filter(pk=document.pk, attempt=document.attempt).update(
            enrichment=EnrichmentState.RUNNING
        )
        enqueue_enrichment(document, ENRICHMENT)


def _stop(base: KnowledgeBase) -> None:
    cancel_jobs(BUILD_GRAPH, dedupe_key=str(base.pk))
    open_stages = Stage.objects.filter(
        document__base=base,
        name=StageName.GRAPH,
        state__in=(StageState.WAITING, StageState.RUNNING),
    ).select_related("document")
    for stage in open_stages:
        cancel_jobs(ENRICHMENT.job, dedupe_key=enrichment_key(stage.document_id, stage.attempt))
        Stage.objects.filter(pk=stage.pk).update(
            state=StageState.CANCELLED,
            error=gettext_noop("Stopped by a person."),
            ended_at=timezone.now(),
        )
        settle_enrichment(stage.document)
