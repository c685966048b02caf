"""The job that brings a mirror up to date."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobContext, handles
from wiki.mirror.jobs import MIRROR_WIKI
from wiki.mirror.mirroring import bring_up_to_date, fail


def _failed(arguments: dict[str, Any], reason: str) -> None:
    fail(UUID(arguments["base_id"]), reason)


@handles(MIRROR_WIKI, on_failure=_failed)
def mirror(context: JobContext, *, base_id: str) -> None:
    """Bring the mirror of a base up to date."""
    bring_up_to_date(context, base_id=UUID(base_id))
