"""Pages that lists must not name, or not sum up, because the reader may not read their sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from accounts.access import Actor, visible
from knowledge.models import Document, EvidenceRow
from wiki.models import WikiPage
from wiki.pages.sources import hidden_page_ids


@dataclass(frozen=True, kw_only=True)
class Closed:
    """Of the pages of a base, for one reader."""

    whole: frozenset[UUID] = frozenset()
    """Nothing of them may be read: they are not named."""
    touched: frozenset[UUID] = frozenset()
    """Some of their sources may not be read: their summaries are not shown."""

    def named(self, pages: Iterable[WikiPage]) -> list[WikiPage]:
        """Return the pages that may be named."""
        return [page for page in pages if page.pk not in self.whole]

    def summary_of(self, page: WikiPage) -> str:
        """Return a page's summary for a list; blank when it may say too much."""
        return "" if page.pk in self.touched else page.summary


def closed_of(actor: Actor, base_id: UUID) -> Closed:
    """Return what is closed to a reader: two queries where nothing is."""
    pages = WikiPage.objects.filter(base_id=base_id, trashed_at__isnull=True)
    rows = EvidenceRow.objects.filter(base_id=base_id, origin_id__in=pages.values("pk"))
    cited = set(rows.order_by().values_list("document_id", flat=True).distinct())
    if not cited:
        return Closed()
    seen = visible(actor, "view", Document.objects.filter(pk__in=cited))
    unseen = cited - set(seen.values_list("pk", flat=True))
    if not unseen:
        return Closed()
    touched = set(rows.filter(document_id__in=unseen).values_list("origin_id", flat=True))
    whole = hidden_page_ids(actor, list(pages.filter(pk__in=touched)))
    return Closed(whole=frozenset(whole), touched=frozenset(touched))
