"""Pages of a page's history: revisions, two of them compared, one of them, who wrote what."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Actor, may
from accounts.middleware import SpaceRequest
from core.errors import Conflict, NotFound, ProjectError
from core.htmx import render
from wiki.models import WikiPage
from wiki.pages.sources import visible_text
from wiki.queries import get_page, require_wiki
from wiki.rendering import page_url, render_page
from wiki.services.history import blame, get_revision, list_revisions, roll_back
from wiki.shown.comparing import compare_context
from wiki.shown.heads import wiki_head
from wiki.shown.history import blame_rows, revision_rows
from wiki.values import VersionConflict

A_PAGE = 50
_HTML, _RAW = "html", "raw"


@require_GET
def wiki_history(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponse:
    """Show the revisions of a page, the newest first."""
    page = _page_of(request.actor, base_id, page_id)
    rows = Paginator(list_revisions(request.actor, page.pk), A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        **_head(request.actor, page),
        "revisions": revision_rows(page, rows.object_list),
        "page_obj": rows,
    }
    return render(request, "wiki/history.html", context)


@require_GET
def wiki_compare(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponseBase:
    """Show what changed from one revision to another."""
    actor, asked = request.actor, request.GET
    page = _page_of(actor, base_id, page_id)
    old, new = _number(asked.get("from", "")), _number(asked.get("to", ""))
    if new is None:
        new = page.version
    if old is None:
        old = max(1, new - 1)
    view = asked.get("view", "")
    try:
        context = compare_context(
            actor,
            page,
            old=old,
            new=new,
            ignore_blanks=asked.get("blanks") == "ignore",
            is_whole=asked.get("all") == "1",
            view="read" if view == "read" else "rows",
        )
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("wiki_history", base_id, page_id)
    return render(request, "wiki/compare.html", {**_head(actor, page), **context})


@require_GET
def wiki_revision(
    request: SpaceRequest, base_id: UUID, page_id: UUID, number: int
) -> HttpResponseBase:
    """Show what a page said in one revision."""
    actor = request.actor
    page = _page_of(actor, base_id, page_id)
    revision = get_revision(actor, page.pk, number)
    seen = visible_text(actor, page, revision.content)
    context: dict[str, Any] = {
        **_head(actor, page),
        "revision": revision,
        "rendered": render_page(actor, page.base_id, seen.content),
        "content": seen.content,
        "hidden": seen.hidden,
        "view": _RAW if request.GET.get("view") == _RAW else _HTML,
    }
    return render(request, "wiki/revision.html", context)


@require_POST
def wiki_restore(
    request: SpaceRequest, base_id: UUID, page_id: UUID, number: int
) -> HttpResponseBase:
    """Let a page say again what it said in a revision."""
    actor = request.actor
    page = _page_of(actor, base_id, page_id)
    version = _number(request.POST.get("version", "")) or page.version
    try:
        outcome = roll_back(
            actor,
            page.pk,
            number=number,
            on_version=version,
            reason=request.POST.get("reason", ""),
        )
    except VersionConflict as conflict:
        messages.error(request, f"{conflict.message} {_('Look at it first, then roll back.')}")
        address = reverse("wiki_compare", args=[base_id, page_id])
        return redirect(f"{address}?from={number}&to={conflict.current_version}")
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
        return redirect("wiki_history", base_id, page_id)
    made = outcome.revision
    messages.success(
        request,
        _("Rolled back: revision %(n)s says what revision %(old)s said.")
        % {"n": made.number, "old": number}
        if made
        else outcome.note,
    )
    return redirect(page_url(page.base_id, page.slug))


@require_GET
def wiki_blame(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponse:
    """Show which revision introduced each sentence."""
    actor = request.actor
    page = _page_of(actor, base_id, page_id)
    context = {
        **_head(actor, page),
        "sentences": blame_rows(blame(actor, page.pk)),
        "hidden": visible_text(actor, page, page.content).hidden,
    }
    return render(request, "wiki/blame.html", context)


def _page_of(actor: Actor, base_id: UUID, page_id: UUID) -> WikiPage:
    require_wiki(actor, base_id)
    page = get_page(actor, page_id)
    if page.base_id != base_id:
        raise NotFound(_("There is no such page."))
    return page


def _head(actor: Actor, page: WikiPage) -> dict[str, Any]:
    return {
        **wiki_head(actor, page.base, tab="pages"),
        "page": page,
        "page_url": page_url(page.base_id, page.slug),
        "may_write": may(actor, "change", page),
    }


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and 0 < len(text) < 9 else None
