"""The document under which a page is searched: its text in plain Markdown, and what it rests on.

A reader finds a page by search when nothing that its present text rests on is closed to them: the
index knows no sentences, so it is the whole page or nothing. On the page itself, only sentences are
left out.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.urls import reverse

from knowledge.access.fit import lock_base, set_basis
from knowledge.constants import DocumentSource
from knowledge.models import Document, EvidenceRow, KnowledgeBase
from knowledge.sources.made import drop_made, keep_made
from wiki.constants import PageStatus
from wiki.models import WikiPage, WikiSentence, WikiSettings
from wiki.pages.writing import pages_by_slug
from wiki.text.links import Link, replace_links, slugs_in
from wiki.text.sentences import sentence_hash, split_sentences
from wiki.values import hash_of


def update_search(page_id: UUID) -> None:
    """Have a page found as it is now, or not at all: drafts, archived and deleted ones are not."""
    page = WikiPage.objects.select_related("base", "document").filter(pk=page_id).first()
    if page is None:
        return
    if not is_found(page):
        if page.document is not None:
            drop_made(page.document)
        return
    document = keep_made(
        page.base,
        page.document,
        name=page.title,
        text=text_to_search(page),
        made_of=rests_on(page),
    )
    if document is not None and document.pk != page.document_id:
        WikiPage.objects.filter(pk=page.pk).update(document=document)


def update_wiki(base: KnowledgeBase) -> None:
    """Bring what is searched of all pages of a base up to date."""
    for page_id in WikiPage.objects.filter(base=base).values_list("pk", flat=True):
        update_search(page_id)


def settle_basis(document: Document) -> None:
    """Let who reads a page's document follow from its present text, once that is what is indexed.

    Until then it had the walls of the earlier text, too.
    """
    page = WikiPage.objects.filter(document=document).first()
    if page is None or document.content_hash != hash_of(text_to_search(page)):
        return
    with transaction.atomic():
        lock_base(document.base_id)
        set_basis(document, rests_on(page))


def is_found(page: WikiPage) -> bool:
    """Whether searches shall find the page."""
    if page.trashed_at is not None or page.status != PageStatus.PUBLISHED:
        return False
    if page.base.deleted_at is not None or not text_to_search(page).strip():
        return False
    return WikiSettings.objects.filter(base_id=page.base_id, is_enabled=True).exists()


def text_to_search(page: WikiPage) -> str:
    """Return all that a search looks at beside the title: other names, summary, text without links."""
    titles = _titles(page)

    def written(link: Link) -> str:
        return link.name or titles.get(link.slug, link.slug)

    parts = (" · ".join(page.aliases), page.summary, replace_links(page.content, written))
    return "\n\n".join(part for part in parts if part.strip())


def rests_on(page: WikiPage) -> set[UUID]:
    """Return the documents that sentences of the page's present text rest on, gone ones too."""
    hashes = {each.hash for each in split_sentences(page.content)}
    hashes.add(sentence_hash(page.summary))
    found = documents_behind([page.pk], hashes).get(page.pk, set())
    return found | ({page.summarises_id} if page.summarises_id else set())


def documents_behind(page_ids: Collection[UUID], hashes: Collection[str]) -> dict[UUID, set[UUID]]:
    """Return the documents that these sentences of each page rest on; two queries."""
    sentences = WikiSentence.objects.filter(page_id__in=page_ids, text_hash__in=hashes)
    markers: dict[UUID, set[int]] = {}
    for page_id, numbers in sentences.values_list("page_id", "markers"):
        markers.setdefault(page_id, set()).update(numbers)
    found: dict[UUID, set[UUID]] = {}
    rows = EvidenceRow.objects.filter(origin_id__in=markers)
    for page_id, marker, document_id in rows.values_list("origin_id", "marker", "document_id"):
        if marker in markers[page_id]:
            found.setdefault(page_id, set()).add(document_id)
    return found


def address_of(document: Document) -> str | None:
    """Return where the page of a document is read; None when it is gone."""
    if document.source != DocumentSource.WIKI:
        return None
    page = WikiPage.objects.filter(document=document, trashed_at__isnull=True).first()
    return None if page is None else reverse("wiki_page", args=[page.base_id, page.slug])


def _titles(page: WikiPage) -> dict[str, str]:
    """Return the titles of the pages that the text links to."""
    ids = pages_by_slug(page.base_id, slugs_in(page.content))
    titles = dict(WikiPage.objects.filter(pk__in=ids.values()).values_list("pk", "title"))
    return {slug: titles[page_id] for slug, page_id in ids.items() if page_id in titles}
