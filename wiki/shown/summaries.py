"""Summaries of pages in lists, as far as the reader may read what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from accounts.access import Actor
from wiki.models import WikiPage
from wiki.pages.closed import citing_closed
from wiki.pages.sources import visible_summary


def summaries_of(actor: Actor, pages: Sequence[WikiPage]) -> dict[UUID, str]:
    """Return each page's summary; one query where nothing is closed to the actor."""
    touched = citing_closed(actor, [page.pk for page in pages])
    return {
        page.pk: visible_summary(actor, page) if page.pk in touched else page.summary
        for page in pages
    }
