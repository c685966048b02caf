"""Pages where the wiki is read: all wikis, the front of one, a page, the trash."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import Actor, may
from accounts.middleware import SpaceRequest
from core.errors import Conflict, NotFound, ProjectError
from core.htmx import render
from knowledge.constants import BaseKind
from knowledge.queries import get_base, list_bases
from wiki.constants import PageKind, PageStatus, ReviewMode
from wiki.models import WikiPage, WikiSettings
from wiki.queries import find_page, get_page, list_trash, require_wiki
from wiki.rendering import page_url
from wiki.services.pages import (
    delete_page,
    move_page,
    rename_page,
    restore_page,
    set_page_review,
)
from wiki.services.settings import enable_wiki
from wiki.services.watching import set_watch, watch_of
from wiki.shown.editing import uuid_or_none
from wiki.shown.heads import wiki_head
from wiki.shown.index import index_context, more_context
from wiki.shown.page import page_context
from wiki.shown.tree import tree_context


@require_GET
def wikis(request: SpaceRequest) -> HttpResponse:
    """Show the bases with a wiki, and those that could have one."""
    bases = [base for base in list_bases(request.actor) if base.kind != BaseKind.FAQ]
    on = set(
        WikiSettings.objects.filter(base__in=bases, is_enabled=True).values_list(
            "base_id", flat=True
        )
    )
    context = {
        "with_wiki": [base for base in bases if base.pk in on],
        "without": [
            base for base in bases if base.pk not in on and may(request.actor, "change", base)
        ],
    }
    return render(request, "wiki/wikis.html", context)


@require_POST
def wiki_switch(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Give a base a wiki."""
    try:
        enable_wiki(request.actor, base_id=base_id)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("wikis")
    messages.success(
        request, _("The wiki is on. Write its first page, or build it from documents.")
    )
    return redirect("wiki_index", base_id)


@require_GET
def wiki_index(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show the front of a wiki; for "load more" the next pages of one kind."""
    actor, asked = request.actor, request.GET
    if not _is_on(actor, base_id):
        base = get_base(actor, base_id)
        context = {"base": base, "may_change": may(actor, "change", base)}
        return render(request, "wiki/off.html", context)
    base = require_wiki(actor, base_id)
    if asked.get("cursor"):
        return render(
            request, "wiki/_index_rows.html", more_context(actor, base, cursor=asked["cursor"])
        )
    folder = uuid_or_none(asked.get("folder", ""))
    status = asked.get("status", "")
    context = {
        **wiki_head(actor, base, tab="pages"),
        **index_context(
            actor,
            base,
            kinds=[each for each in asked.getlist("kind") if each in PageKind.values],
            search=asked.get("q", "")[:200],
            folder=folder,
            status=status if status in PageStatus.values else "",
        ),
        "watch": watch_of(actor, base, None),
    }
    if not request.htmx:  # type: ignore[attr-defined]  # django-htmx's middleware sets it
        context |= tree_context(actor, base.pk, folder=folder)
    return render(request, "wiki/index.html", context, partial="wiki/_index.html")


@require_GET
def wiki_page(request: SpaceRequest, base_id: UUID, slug: str) -> HttpResponseBase:
    """Show a page; an old address leads to the page, a missing page offers to be written."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    head = wiki_head(actor, base, tab="pages")
    try:
        found = find_page(actor, base.pk, slug)
    except NotFound:
        context = {**head, **tree_context(actor, base.pk), "slug": slug}
        context["title"] = slug.rpartition("/")[2].replace("-", " ").strip().capitalize()
        return render(request, "wiki/missing.html", context, status=404)
    if found.is_redirect:
        return redirect(f"{page_url(base.pk, found.page.slug)}?from={slug}")
    page = found.page
    context = {
        **head,
        **tree_context(actor, base.pk, current=page.pk),
        **page_context(actor, page, has_changes=head["change_total"] > 0),
        "may_write": head["may_edit"],
        "may_delete": head["may_edit"],
        "came_from": request.GET.get("from", "")[:200],
        "watch": watch_of(actor, base, page),
        "review_modes": ReviewMode.choices,
    }
    return render(request, "wiki/page.html", context)


@require_GET
def wiki_page_by_id(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponseBase:
    """Go to a page by its id: an address that no renaming changes."""
    return redirect(_page_address(_page_of(request.actor, base_id, page_id)))


@require_POST
def wiki_page_act(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponseBase:
    """Move, rename or delete a page, watch it, or say whose edits of it wait."""
    actor, posted = request.actor, request.POST
    page = _page_of(actor, base_id, page_id)
    version = int(posted["version"]) if posted.get("version", "").isdecimal() else page.version
    reason = posted.get("reason", "")
    back = posted.get("next", "")
    done = ""
    try:
        match posted.get("action", ""):
            case "move":
                folder = uuid_or_none(posted.get("folder", ""))
                move_page(actor, page.pk, folder_id=folder)
                done = _("Moved.")
            case "rename":
                outcome = rename_page(
                    actor,
                    page.pk,
                    new_slug=posted.get("slug", ""),
                    on_version=version,
                    reason=reason,
                )
                done = outcome.note or _("Renamed. The old address leads here, links follow.")
            case "delete":
                outcome = delete_page(actor, page.pk, on_version=version, reason=reason)
                if outcome.change is None:
                    return redirect(f"{reverse('wiki_trash', args=[base_id])}?undo={page.pk}")
                done = outcome.note
            case "review":
                set_page_review(actor, page.pk, review=posted.get("review", ""))
                done = _("Saved.")
            case "watch" | "unwatch":
                is_on = posted["action"] == "watch"
                set_watch(actor, base_id=base_id, page_id=page.pk, is_on=is_on)
                done = _("You are told of changes.") if is_on else _("You are not told any more.")
            case _:
                raise NotFound(_("What is to be done with the page?"))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    page.refresh_from_db(fields=["slug"])
    if back == "tree":
        return redirect("wiki_index", base_id)
    return redirect(_page_address(page))


@require_POST
def wiki_watch(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Watch a whole wiki, or end to."""
    is_on = request.POST.get("action") == "watch"
    try:
        set_watch(request.actor, base_id=base_id, page_id=None, is_on=is_on)
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    else:
        messages.success(
            request, _("You are told of changes.") if is_on else _("You are not told any more.")
        )
    return redirect("wiki_index", base_id)


@require_http_methods(["GET", "POST"])
def wiki_trash(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show deleted pages, and bring one back."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    if request.method == "POST":
        page_id = uuid_or_none(request.POST.get("page", ""))
        if page_id is None:
            raise NotFound(_("There is no such page in the trash."))
        try:
            page = restore_page(actor, page_id)
        except Conflict as refusal:
            messages.error(request, refusal.message)
            return redirect("wiki_trash", base.pk)
        messages.success(request, _("The page is back, with the links to it."))
        return redirect(_page_address(page))
    context: dict[str, Any] = {
        **wiki_head(actor, base, tab="pages"),
        "pages": list(list_trash(actor, base.pk)),
        "undo": request.GET.get("undo", ""),
    }
    return render(request, "wiki/trash.html", context)


def _is_on(actor: Actor, base_id: UUID) -> bool:
    get_base(actor, base_id)
    return WikiSettings.objects.filter(base_id=base_id, is_enabled=True).exists()


def _page_of(actor: Actor, base_id: UUID, page_id: UUID) -> WikiPage:
    page = get_page(actor, page_id)
    if page.base_id != base_id:
        raise NotFound(_("There is no such page."))
    return page


def _page_address(page: WikiPage) -> str:
    return page_url(page.base_id, page.slug)
