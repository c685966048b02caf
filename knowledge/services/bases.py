"""Use cases of knowledge bases."""

from __future__ import annotations

from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import Actor, require
from core.errors import Conflict, Invalid
from core.jobs.enqueue import cancel_job, enqueue
from knowledge.base_settings import BaseSettings
from knowledge.constants import OPEN_STATES
from knowledge.jobs import REMOVE_BASE
from knowledge.models import Document, KnowledgeBase
from knowledge.queries import get_base
from providers.constants import ModelType
from providers.services.models import default_model


def create_base(
    actor: Actor, *, name: str, description: str = "", settings: BaseSettings | None = None
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
        options=(settings or BaseSettings()).model_dump(),
        embedding_model=default_model(actor.space_id, ModelType.EMBEDDING),
        created_by_id=actor.user_id,
    )
    _save(base)
    return base


def update_base(
    actor: Actor,
    *,
    base_id: UUID,
    name: str,
    description: str,
    settings: BaseSettings | None = None,
) -> KnowledgeBase:
    """Change a base's name, description and settings; new settings hold for later documents.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: the name is blank.
        Conflict: another base has the name.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    base.name, base.description = _clean_name(name), description.strip()
    if settings is not None:
        base.options = settings.model_dump()
    _save(base)
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


def _clean_name(name: str) -> str:
    cleaned = " ".join(name.replace("\x00", "").split())
    if not cleaned:
        raise Invalid("A base needs a name.")
    if len(cleaned) > 200:
        raise Invalid(f"The name has {len(cleaned)} characters; 200 are the most.")
    return cleaned


def _save(base: KnowledgeBase) -> None:
    try:
        with transaction.atomic():
            base.save()
    except IntegrityError as error:
        raise Conflict(
            f"{base.name!r} is already a base of this space; choose another name."
        ) from error
