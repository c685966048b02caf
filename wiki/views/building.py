"""The page of building a wiki: estimate, begin, progress, stop, what failed."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render, wants_fragment
from wiki.queries import get_wiki
from wiki.services import building
from wiki.shown.building import building_context
from wiki.shown.heads import wiki_head


@require_http_methods(["GET", "POST"])
def wiki_building(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show what building would take and how far it is; begin, stop, try again."""
    settings = get_wiki(request.actor, base_id)
    require(request.actor, "edit", settings.base)
    if request.method == "POST":
        return _act(request, base_id)
    context = {"base": settings.base, **building_context(request.actor, settings)}
    if not wants_fragment(request):
        context = {**wiki_head(request.actor, settings.base, tab="building"), **context}
    return render(request, "wiki/building.html", context, partial="wiki/_building.html")


def _act(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    try:
        messages.success(request, _do(request, base_id))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    return redirect("wiki_building", base_id)


def _do(request: SpaceRequest, base_id: UUID) -> str:
    """Carry out what was asked; return what to say."""
    actor, asked = request.actor, request.POST.get("action", "")
    if asked in ("start", "anew"):
        build = building.start_build(actor, base_id=base_id, anew=asked == "anew")
        n = build.operations.count()
        return ngettext(
            "%(n)d document is being built in.", "%(n)d documents are being built in.", n
        ) % {"n": n}
    if asked == "stop":
        building.stop_build(actor, base_id=base_id, build_id=_id(request, "build"))
        return _("The building stops behind the page that it is at. What was published stays.")
    if asked == "retry":
        one = _id(request, "operation") if request.POST.get("operation") else None
        n = building.retry_failed(actor, base_id=base_id, operation_id=one)
        return ngettext("%(n)d document is tried again.", "%(n)d documents are tried again.", n) % {
            "n": n
        }
    if asked == "forget":
        building.forget_failed(actor, base_id=base_id, operation_id=_id(request, "operation"))
        return _("The document is not in the list any more, and not built in.")
    raise Invalid(_("What is to be done? Say start, anew, stop, retry or forget."))


def _id(request: SpaceRequest, name: str) -> UUID:
    try:
        return UUID(request.POST.get(name, ""))
    except ValueError as error:
        raise Invalid(_("There is no such thing here any more; load the page again.")) from error
