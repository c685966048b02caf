"""The graph of a wiki's links, and the card of one page in it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from core.errors import NotFound
from core.htmx import render
from wiki.constants import PageKind
from wiki.graph import MOST_DEPTH, MOST_NODES, OVERVIEW_LIMIT
from wiki.models import WikiPage
from wiki.queries import back_links, find_page, get_page, out_links, require_wiki
from wiki.rendering import page_url
from wiki.shown.editing import uuid_or_none
from wiki.shown.graph import graph_context
from wiki.shown.heads import wiki_head
from wiki.shown.summaries import summaries_of

MOST_LINKS = 30


@require_GET
def wiki_graph(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show the most linked pages, or what lies around one."""
    actor, asked = request.actor, request.GET
    base = require_wiki(actor, base_id)
    center = None
    if asked.get("center"):
        center = find_page(actor, base.pk, asked["center"]).page
    context = {
        **wiki_head(actor, base, tab="graph"),
        **graph_context(
            actor,
            base,
            center=center,
            depth=_number(asked.get("depth", ""), 1, MOST_DEPTH),
            kinds=[each for each in asked.getlist("kind") if each in PageKind.values],
            limit=_number(asked.get("limit", ""), OVERVIEW_LIMIT, MOST_NODES),
            at=asked.get("page", ""),
        ),
    }
    return render(request, "wiki/graph.html", context)


@require_GET
def wiki_graph_card(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show one page beside the picture: summary, where it leads, what leads to it."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    page_id = uuid_or_none(request.GET.get("page", ""))
    if page_id is None:
        raise NotFound(_("There is no such page."))
    page = get_page(actor, page_id)
    if page.base_id != base.pk:
        raise NotFound(_("There is no such page."))
    leads = [link.page for link in out_links(actor, page) if link.page is not None]
    context = {
        "base": base,
        "page": page,
        "page_url": page_url(base.pk, page.slug),
        "summary": summaries_of(actor, [page])[page.pk],
        "leads": [_link(each) for each in leads[:MOST_LINKS]],
        "led": [_link(each) for each in back_links(actor, page)[:MOST_LINKS]],
    }
    return render(request, "wiki/_graph_card.html", context)


def _link(page: WikiPage) -> dict[str, str]:
    return {"title": page.title, "url": page_url(page.base_id, page.slug)}


def _number(text: str, default: int, most: int) -> int:
    return max(1, min(int(text), most)) if text.isdecimal() and len(text) < 6 else default
