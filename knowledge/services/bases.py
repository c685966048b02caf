"""Use cases of knowledge bases."""

from __future__ import annotations

from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from core.jobs.enqueue import cancel_job, enqueue
from core.names import clean_name
from knowledge.base_settings import BaseSettings, base_settings_of
from knowledge.constants import OPEN_STATES, BaseKind
from knowledge.evaluation.guard import refuse_at_gate
from knowledge.faq.writing import index_soon
from knowledge.jobs import REMOVE_BASE
from knowledge.models import Document, KnowledgeBase
from knowledge.queries import get_base
from providers.constants import ModelType
from providers.services.models import default_model


def create_base(
    actor: Actor,
    *,
    name: str,
    description: str = "",
    settings: BaseSettings | None = None,
    kind: BaseKind = BaseKind.DOCUMENT,
) -> KnowledgeBase:
    """Make an empty base that embeds with the space's default embedding model.

    Raises:
        AccessDenied: the actor's role may not make bases.
        Invalid: the name is blank.
        Conflict: another base has the name.
    """
    require(actor, "create", KnowledgeBase)
    base = KnowledgeBase(
        space_id=actor.space_id,
        name=_clean_name(name),
        description=description.strip(),
        kind=kind,
        options=(settings or BaseSettings()).model_dump(),
        embedding_model=default_model(actor.space_id, ModelType.EMBEDDING),
        created_by_id=actor.user_id,
    )
    _save(actor, "base.create", base)
    return base


def update_base(
    actor: Actor,
    *,
    base_id: UUID,
    name: str,
    description: str,
    settings: BaseSettings | None = None,
    gate_passed: bool = False,
) -> KnowledgeBase:
    """Change a base's name, description and settings; new settings hold for later documents.

    `gate_passed` says that a person saw what other settings of the search do, or gave a reason:
    see `knowledge.evaluation.gate`.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: the name is blank.
        Conflict: another base has the name; the gate has to be passed first.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    if settings is not None and not gate_passed:
        refuse_at_gate(base, settings)
    base.name, base.description = _clean_name(name), description.strip()
    before = base_settings_of(base)
    if settings is not None:
        base.options = settings.model_dump()
    _save(actor, "base.change", base)
    if settings is not None and base.kind == BaseKind.FAQ and settings.faq != before.faq:
        index_soon(base)
    return base


def delete_base(actor: Actor, *, base_id: UUID) -> None:
    """Take the base out of everybody's sight now; a job removes what it holds.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    base = get_base(actor, base_id)
    require(actor, "delete", base)
    with transaction.atomic():
        base.deleted_at = timezone.now()
        base.save(update_fields=["deleted_at"])
        running = Document.objects.filter(base=base, state__in=OPEN_STATES, job_id__isnull=False)
        for job_id in running.values_list("job_id", flat=True):
            if job_id is not None:
                cancel_job(job_id)
        enqueue(REMOVE_BASE, dedupe_key=str(base.pk), base_id=str(base.pk))
        record_audit(actor, "base.delete", target=base, base_id=base.pk)


def _clean_name(name: str) -> str:
    cleaned = clean_name(name)
    if not cleaned:
        raise Invalid(_("A knowledge base needs a name."))
    if len(cleaned) > 200:
        raise Invalid(
            _("The name has %(count)s characters; 200 are the most.") % {"count": len(cleaned)}
        )
    return cleaned


def _save(actor: Actor, action: str, base: KnowledgeBase) -> None:
    try:
        with transaction.atomic():
            base.save()
            record_audit(actor, action, target=base, base_id=base.pk)
    except IntegrityError as error:
        raise Conflict(
            _("“%(name)s” is already a knowledge base of this space; choose another name.")
            % {"name": base.name}
        ) from error
