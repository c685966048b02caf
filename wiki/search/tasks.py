"""The jobs that keep what is searched in step with pages."""

from __future__ import annotations

from uuid import UUID

from core.jobs.handlers import JobContext, handles
from knowledge.models import KnowledgeBase
from wiki.search.documents import update_search, update_wiki
from wiki.search.jobs import SEARCH_PAGE, SEARCH_WIKI


@handles(SEARCH_PAGE)
def search_page(_context: JobContext, *, page_id: str) -> None:
    """Have a page found as it is now."""
    update_search(UUID(page_id))


@handles(SEARCH_WIKI)
def search_wiki(_context: JobContext, *, base_id: str) -> None:
    """Have all pages of a base found as they are now."""
    base = KnowledgeBase.objects.filter(pk=base_id).first()
    if base is not None:
        update_wiki(base)
