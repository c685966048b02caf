"""A page as the file that its readers take with them: one way for exports and for mirrors."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import F

from accounts.access import Actor
from wiki.models import WikiPage, WikiRevision, WikiSentence
from wiki.pages.sources import sentences_of, visible_summary
from wiki.pages.transfer import page_as_markdown


def page_file(actor: Actor, page: WikiPage, *, content: str, written_at: datetime | None) -> str:
    """Return the Markdown of a page as the actor reads it.

    `content` is the page's text without what is closed to the actor; `written_at` is when the
    revision was made that the page shows.
    """
    has_sources = WikiSentence.objects.filter(page=page).exists()
    names = {
        source.document_name
        for each in (sentences_of(actor, page) if has_sources else ())
        for source in each.sources
        if source.document_name
    }
    return page_as_markdown(
        page,
        content=content,
        summary=visible_summary(actor, page),
        sources=sorted(names),
        written_at=written_at or page.updated_at,
    )


def times_of(pages: Iterable[WikiPage]) -> dict[UUID, datetime]:
    """Return when the newest revision of each page was made."""
    rows = WikiRevision.objects.filter(
        page_id__in=[page.pk for page in pages], number=F("page__version")
    )
    return dict(rows.order_by().values_list("page_id", "created_at"))
