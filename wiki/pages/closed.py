"""Pages of which a reader may read nothing: no list names them, nothing leads to them."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import models

from accounts.access import Actor, visible
from knowledge.access.walls import sealed_ids
from knowledge.models import Document, EvidenceRow
from wiki.models import WikiPage
from wiki.pages.sources import hidden_page_ids


def closed_page_ids(actor: Actor, base_id: UUID) -> set[UUID]:
    """Return the pages of a base whose every sentence rests on what is closed to the actor.

    Only pages that cite a document which the actor does not see are read for it; where there is
    none, as in most bases, that is one query.
    """
    pages = WikiPage.objects.filter(base_id=base_id)
    ids = _citing(actor, EvidenceRow.objects.filter(origin_id__in=pages.order_by().values("pk")))
    return hidden_page_ids(actor, list(pages.filter(pk__in=ids))) if ids else set()


def citing_closed(actor: Actor, page_ids: Iterable[UUID]) -> set[UUID]:
    """Return those of the pages that cite a document which is closed to the actor."""
    return _citing(actor, EvidenceRow.objects.filter(origin_id__in=list(page_ids)))


def closed_document_ids(actor: Actor, base_id: UUID) -> set[UUID]:
    """Return the documents that pages of a base cite and that are closed to the actor."""
    pages = WikiPage.objects.filter(base_id=base_id)
    rows = EvidenceRow.objects.filter(origin_id__in=pages.order_by().values("pk"))
    return {document_id for _, document_id in _closed_pairs(actor, rows)}


def _citing(actor: Actor, rows: models.QuerySet[EvidenceRow]) -> set[UUID]:
    return {origin_id for origin_id, _ in _closed_pairs(actor, rows)}


def _closed_pairs(actor: Actor, rows: models.QuerySet[EvidenceRow]) -> set[tuple[UUID, UUID]]:
    """Return pages with the closed documents that they cite."""
    seen = visible(actor, "view", Document.objects.all()).order_by()
    unseen = rows.exclude(document_id__in=seen.values("pk")).order_by()
    pairs = set(unseen.values_list("origin_id", "document_id"))
    if not pairs:
        return set()
    documents = {document_id for _, document_id in pairs}
    there = set(Document.objects.filter(pk__in=documents).values_list("pk", flat=True))
    # What is gone is open to who reads the base, unless it was sealed when it went.
    closed = there | sealed_ids(actor, documents - there)
    return {pair for pair in pairs if pair[1] in closed}
