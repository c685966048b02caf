"""The public pages of a wiki: the front with its tree and a search, a page with numbered sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator

from knowledge.evidence import Evidence
from wiki.constants import PageKind
from wiki.models import WikiPage
from wiki.pages.sources import sentences_of, visible_content, visible_summary, visible_text
from wiki.published import Published, search_titles, with_public_pictures
from wiki.queries import Branch, tree_of
from wiki.rendering import render_page
from wiki.shown.page import marks_of
from wiki.shown.summaries import summaries_of

A_PAGE = 50
MOST_LEAVES = 200
"""Of a folder that the tree names; the list of the front has all."""


@dataclass(frozen=True, kw_only=True)
class PublicBough:
    """A folder with pages in it or below."""

    name: str
    boughs: tuple[PublicBough, ...]
    leaves: tuple[dict[str, Any], ...]
    more: int
    total: int
    is_open: bool


@dataclass(frozen=True, kw_only=True)
class PublicSource:
    """A document that sentences rest on."""

    number: int
    title: str
    """Blank: the base gives numbers only."""


def public_head(wiki: Published, *, current: UUID | None = None) -> dict[str, Any]:
    """Return what `wiki/public/base.html` takes."""
    branch = tree_of(wiki.actor, wiki.base.pk)
    return {
        "name": wiki.base.name,
        "public_name": wiki.row.public_name,
        "is_indexed": wiki.row.public_indexed,
        "content_language": wiki.row.language,
        "tree": _bough(wiki, branch, current),
    }


def public_index_context(wiki: Published, *, search: str, number: str) -> dict[str, Any]:
    """Return what `wiki/public/index.html` takes."""
    found = Paginator(search_titles(wiki, search), A_PAGE).get_page(number)
    pages = list(found.object_list)
    summaries = summaries_of(wiki.actor, pages)
    first = not search and found.number == 1
    return {
        **public_head(wiki),
        "search": search,
        "page_obj": found,
        "rows": [
            {
                "title": page.title,
                "url": wiki.page_url(page.slug),
                "summary": summaries[page.pk],
            }
            for page in pages
        ],
        "intro": _intro(wiki) if first else "",
    }


def public_page_context(wiki: Published, page: WikiPage) -> dict[str, Any]:
    """Return what `wiki/public/page.html` takes: no person, no passage of a document."""
    sentences = sentences_of(wiki.actor, page)
    shown = visible_text(wiki.actor, page, page.content)
    by_document: dict[object, list[Evidence]] = {}
    for each in sentences:
        for source in each.sources:
            by_document.setdefault(source.document_id or source.document_name, []).append(source)
    numbers = {
        source.marker: number
        for number, sources in enumerate(by_document.values(), 1)
        for source in sources
    }
    marks = marks_of(shown.content, sentences, numbers, is_cut=bool(shown.hidden))
    rendered = render_page(
        wiki.actor,
        page.base_id,
        shown.content,
        marks=tuple(dict.fromkeys(marks)),
        origin=page.pk.hex,
        address=wiki.page_url,
        among=wiki.pages(),
    )
    titled = wiki.row.public_titles
    return {
        **public_head(wiki, current=page.pk),
        "title": page.title,
        "summary": visible_summary(wiki.actor, page),
        "kind": page.get_kind_display(),
        "folder": page.folder.path if page.folder else "",
        "updated_at": page.updated_at,
        "html": with_public_pictures(wiki, rendered.html),
        "parts": rendered.parts,
        "origin": page.pk.hex,
        "with_titles": titled,
        "sources": [
            PublicSource(number=number, title=sources[0].document_name if titled else "")
            for number, sources in enumerate(by_document.values(), 1)
        ],
    }


def _intro(wiki: Published) -> str:
    page = wiki.pages().filter(kind=PageKind.INDEX).order_by("created_at").first()
    if page is None:
        return ""
    rendered = render_page(
        wiki.actor,
        wiki.base.pk,
        visible_content(wiki.actor, page),
        address=wiki.page_url,
        among=wiki.pages(),
    )
    return with_public_pictures(wiki, rendered.html)


def _bough(wiki: Published, branch: Branch, current: UUID | None) -> PublicBough:
    boughs = tuple(
        bough for bough in (_bough(wiki, each, current) for each in branch.branches) if bough.total
    )
    leaves = tuple(
        {
            "title": page.title,
            "url": wiki.page_url(page.slug),
            "is_current": page.pk == current,
        }
        for page in branch.pages[:MOST_LEAVES]
    )
    return PublicBough(
        name=branch.folder.name if branch.folder else "",
        boughs=boughs,
        leaves=leaves,
        more=max(0, len(branch.pages) - MOST_LEAVES),
        total=len(branch.pages) + sum(each.total for each in boughs),
        is_open=any(page.pk == current for page in branch.pages)
        or any(each.is_open for each in boughs),
    )
