"""The front of a wiki: intro, pages by kind, what was found, what changed lately."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.access import Actor
from core.markdown_wiki import Rendered
from knowledge.models import KnowledgeBase
from wiki.constants import AuthorKind, PageKind, PageStatus
from wiki.models import WikiPage
from wiki.pages.sources import visible_content
from wiki.queries import (
    IndexGroup,
    index_of,
    list_pages,
    list_trash,
    published_pages,
    search_pages,
    stats_of,
)
from wiki.rendering import page_url, render_page
from wiki.shown.summaries import summaries_of

A_GROUP = 30
FOUND = 50
RECENT = 8


@dataclass(frozen=True, kw_only=True)
class Row:
    """A page in a list."""

    title: str
    url: str
    summary: str
    kind: str
    at: datetime
    who: str
    is_draft: bool
    is_archived: bool


@dataclass(frozen=True, kw_only=True)
class Group:
    """Pages of one kind."""

    kind: str
    label: str
    total: int
    rows: list[Row]
    cursor: str


def index_context(
    actor: Actor,
    base: KnowledgeBase,
    *,
    kinds: Sequence[str],
    search: str,
    folder: UUID | None,
    status: str,
) -> dict[str, Any]:
    """Return what `wiki/index.html` takes but head and tree."""
    stats = stats_of(actor, base.pk)
    context: dict[str, Any] = {
        "stats": stats,
        "kinds": kinds,
        "kind_choices": [
            (value, label, stats.pages_by_kind.get(value, 0))
            for value, label in PageKind.choices
            if stats.pages_by_kind.get(value)
        ],
        "search": search,
        "status": status,
        "folder_id": folder,
        "groups": [],
        "found": None,
        "listed": None,
        "intro": None,
        "recent": [],
        "trash_total": list_trash(actor, base.pk).count(),
    }
    if search.strip():
        pages = search_pages(actor, base.pk, search, limit=FOUND)
        if kinds:
            pages = [page for page in pages if page.kind in kinds]
        context["found"] = _rows(actor, pages)
    elif folder is not None or status:
        listed = list_pages(
            actor, base.pk, kinds=kinds, folder_id=folder, status=status, sort="title"
        )
        context["listed"] = _rows(actor, listed[:500])
    else:
        found = index_of(actor, base.pk, kinds=kinds, limit=A_GROUP)
        context["groups"] = [_group(actor, each) for each in found]
        if not kinds:
            context["intro"] = _intro(actor, base)
            recent = list_pages(actor, base.pk)[:RECENT]
            context["recent"] = _rows(actor, recent)
    return context


def more_context(actor: Actor, base: KnowledgeBase, *, cursor: str) -> dict[str, Any]:
    """Return what `wiki/_index_rows.html` takes for the pages after a cursor."""
    groups = index_of(actor, base.pk, limit=A_GROUP, cursor=cursor)
    return {"base": base, "group": _group(actor, groups[0]) if groups else None}


def _group(actor: Actor, group: IndexGroup) -> Group:
    return Group(
        kind=group.kind,
        label=str(group.kind.label),
        total=group.total,
        rows=_rows(actor, group.pages),
        cursor=group.cursor,
    )


def _rows(actor: Actor, pages: Iterable[WikiPage]) -> list[Row]:
    listed = list(pages)
    summaries = summaries_of(actor, listed)
    return [_row(page, summaries[page.pk]) for page in listed]


def _row(page: WikiPage, summary: str) -> Row:
    return Row(
        title=page.title,
        url=page_url(page.base_id, page.slug),
        summary=summary,
        kind=page.get_kind_display(),
        at=page.updated_at,
        who=str(AuthorKind(page.last_author_kind).label) if page.last_author_kind else "",
        is_draft=page.status == PageStatus.DRAFT,
        is_archived=page.status == PageStatus.ARCHIVED,
    )


def _intro(actor: Actor, base: KnowledgeBase) -> Rendered | None:
    page = (
        published_pages(actor, base.pk).filter(kind=PageKind.INDEX).order_by("created_at").first()
    )
    if page is None:
        return None
    return render_page(actor, base.pk, visible_content(actor, page))
