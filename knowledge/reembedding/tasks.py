"""The jobs of changes of the embedding model: ids in, one service each."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from core.jobs.handlers import JobContext, handles
from knowledge.constants import OPEN_CHANGES, EmbeddingChangeState
from knowledge.jobs import FORGET_VECTORS, REEMBED_BASE
from knowledge.models import EmbeddingChange
from knowledge.reembedding.build import catch_up
from knowledge.reembedding.forget import forget_vectors
from knowledge.reembedding.switch import end, kept_for


def _failed(arguments: dict[str, Any], reason: str) -> None:
    """End a change whose second index cannot be built; one that is ready only says what holds it up."""
    with transaction.atomic():
        rows = EmbeddingChange.objects.select_for_update()
        change = rows.filter(base_id=arguments["base_id"], state__in=OPEN_CHANGES).first()
        if change is None:
            return
        change.reason = reason
        if change.state == EmbeddingChangeState.BUILDING:
            end(change, EmbeddingChangeState.FAILED, keep=kept_for())
        change.save()


def _waits(arguments: dict[str, Any], reason: str) -> None:
    rows = EmbeddingChange.objects.filter(base_id=arguments["base_id"], state__in=OPEN_CHANGES)
    rows.update(reason=reason)


@handles(REEMBED_BASE, on_failure=_failed, on_retry=_waits)
def reembed(context: JobContext, *, base_id: str) -> None:
    """Make the vectors that passages of a base lack."""
    catch_up(context, base_id=UUID(base_id))


@handles(FORGET_VECTORS)
def forget(context: JobContext, *, change_id: str) -> None:
    """Remove the vectors that an ended change left over."""
    forget_vectors(context, change_id=UUID(change_id))
