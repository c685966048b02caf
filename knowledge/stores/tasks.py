"""The job of outside stores: ids in, one service."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobContext, handles
from knowledge.constants import OPEN_MOVES
from knowledge.jobs import SYNC_STORES
from knowledge.models import StoreMove
from knowledge.stores.moves import fail_move
from knowledge.stores.sync import sync_base


def _failed(arguments: dict[str, Any], reason: str) -> None:
    fail_move(UUID(arguments["base_id"]), reason)


def _waits(arguments: dict[str, Any], reason: str) -> None:
    rows = StoreMove.objects.filter(base_id=arguments["base_id"], state__in=OPEN_MOVES)
    rows.update(reason=reason)


@handles(SYNC_STORES, on_failure=_failed, on_retry=_waits)
def sync(context: JobContext, *, base_id: str) -> None:
    """Bring the outside stores of a base to what PostgreSQL has."""
    sync_base(context, base_id=UUID(base_id))
