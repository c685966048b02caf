"""The jobs of this app: ids in, one service each."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobContext, handles
from wiki.build.queue import release_lost
from wiki.build.working import build_pages, tidy
from wiki.jobs import BUILD_PAGES, TIDY_WIKI
from wiki.models import WikiOperation


def _failed(arguments: dict[str, Any], _reason: str) -> None:
    release_lost(WikiOperation.objects.filter(base_id=arguments["base_id"]))


@handles(BUILD_PAGES, on_failure=_failed)
def build(context: JobContext, *, base_id: str) -> None:
    """Build the next documents of a base into its pages."""
    build_pages(context, base_id=UUID(base_id))


@handles(TIDY_WIKI)
def tidy_wiki(context: JobContext, *, base_id: str) -> None:
    """Bring links and the index page of a base in step with its pages."""
    tidy(context, base_id=UUID(base_id))
