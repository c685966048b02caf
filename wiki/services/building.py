"""Use cases of building: begin with an estimate, stop, try again what failed, begin anew."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from knowledge.models import Document, KnowledgeBase
from knowledge.queries import get_base
from providers.models import AIModel
from wiki.build.asking import model_of, why_no_model
from wiki.build.estimate import Estimate, buildable, estimate_of, unbuilt
from wiki.build.queue import OPEN, end_builds, go_on, put_operation, stop_operations
from wiki.constants import OperationKind, OperationState
from wiki.models import WikiBuild, WikiOperation, WikiReading, WikiSettings


def estimate_build(actor: Actor, *, base_id: UUID, anew: bool = False) -> Estimate:
    """Say what building the documents that are not built in yet may take; with `anew`, all of them.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds; no wiki.
    """
    settings = _settings(actor, base_id)
    ids = _documents(settings, anew=anew)
    return estimate_of(settings, ids, _model(settings))


def start_build(
    actor: Actor,
    *,
    base_id: UUID,
    anew: bool = False,
    document_ids: Sequence[UUID] | None = None,
) -> WikiBuild:
    """Begin to build documents into pages: those not built in yet, all (`anew`), or these.

    With `anew` documents are read again, also where nothing changed; what pages say stays, and pages
    that were deleted may come back.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds; no wiki.
        Invalid: there is nothing to build.
        Conflict: the base is being built already.
    """
    settings = _settings(actor, base_id)
    base = settings.base
    ids = _documents(settings, anew=anew) if document_ids is None else list(document_ids)
    rows = list(buildable(base).filter(pk__in=ids).order_by("created_at", "pk"))
    if not rows:
        raise Invalid(_("Every document is built in already. Nothing was begun."))
    with transaction.atomic():
        WikiSettings.objects.select_for_update().get(pk=settings.pk)
        if WikiBuild.objects.filter(base=base, ended_at__isnull=True).exists():
            raise Conflict(_("The wiki is being built already; wait for it or stop it."))
        estimate = estimate_of(settings, [row.pk for row in rows], _model(settings))
        build = WikiBuild.objects.create(
            space_id=base.space_id,
            base=base,
            started_by_id=actor.user_id,
            estimate=estimate.stored(),
        )
        if anew:
            WikiReading.objects.filter(document__in=rows).delete()
        for row in rows:
            put_operation(
                base, row.pk, OperationKind.INGEST, name=row.name, build=build, delay_seconds=0.0
            )
        record_audit(actor, "wiki.build", target=build, base_id=base.pk, documents=len(rows))
    return build


def stop_build(actor: Actor, *, base_id: UUID, build_id: UUID) -> WikiBuild:
    """Stop a building: what waits is canceled, what is at work ends behind its page.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Conflict: it is over.
    """
    settings = _settings(actor, base_id)
    with transaction.atomic():
        build = (
            WikiBuild.objects.select_for_update().filter(pk=build_id, base=settings.base).first()
        )
        if build is None:
            raise NotFound(_("There is no such building."))
        if build.ended_at is not None:
            raise Conflict(_("It is over already."))
        build.stop_asked_at = timezone.now()
        build.save(update_fields=["stop_asked_at"])
        stop_operations(build)
        record_audit(actor, "wiki.build_stop", target=build, base_id=base_id)
    end_builds({build.pk})
    build.refresh_from_db()
    return build


def retry_failed(actor: Actor, *, base_id: UUID, operation_id: UUID | None = None) -> int:
    """Let what failed for good be tried again, all or one; return how many documents that are.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    settings = _settings(actor, base_id)
    with transaction.atomic():
        rows = _dead(settings.base, operation_id)
        begun = 0
        for row in rows:
            put_operation(
                settings.base,
                row.document_id,
                OperationKind(row.kind),
                name=row.document_name,
                delay_seconds=0.0,
            )
            row.delete()
            begun += 1
        record_audit(actor, "wiki.build_retry", target=settings.base, documents=begun)
    go_on(settings.base_id)
    return begun


def forget_failed(actor: Actor, *, base_id: UUID, operation_id: UUID) -> None:
    """Take one failed document from the list; it is not built in.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    settings = _settings(actor, base_id)
    for row in _dead(settings.base, operation_id):
        row.delete()


def _dead(base: KnowledgeBase, operation_id: UUID | None) -> list[WikiOperation]:
    rows = WikiOperation.objects.select_for_update().filter(base=base, state=OperationState.DEAD)
    found = list(rows.filter(pk=operation_id) if operation_id else rows)
    if operation_id and not found:
        raise NotFound(_("There is no such document in the list of what failed."))
    return found


def _settings(actor: Actor, base_id: UUID) -> WikiSettings:
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    row = (
        WikiSettings.objects.filter(base=base, is_enabled=True)
        .select_related("base", "model")
        .first()
    )
    if row is None:
        raise NotFound(_("This knowledge base has no wiki."))
    return row


def _documents(settings: WikiSettings, *, anew: bool) -> list[UUID]:
    base = settings.base
    rows = buildable(base) if anew else unbuilt(base, with_model=not why_no_model(settings))
    waiting = WikiOperation.objects.filter(base=base, state__in=OPEN).values("document_id")
    return list(rows.exclude(pk__in=waiting).values_list("pk", flat=True))


def _model(settings: WikiSettings) -> AIModel | None:
    return None if why_no_model(settings) else model_of(settings)


def seen_names(actor: Actor, document_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the names of those documents that the actor may see."""
    rows = visible(actor, "view", Document.objects.filter(pk__in=document_ids))
    return dict(rows.values_list("pk", "name"))
