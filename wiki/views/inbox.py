"""The inbox: what waits for a person in all wikis of the space, and what they are told."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.middleware import SpaceRequest
from accounts.throttle import limit_by_address
from core.htmx import render
from wiki.changes.queries import (
    MOST_COUNTED,
    count_unread,
    count_waiting,
    notices_of,
    readable,
    waiting_changes,
)
from wiki.changes.reading import mark_read
from wiki.changes.stopping import read_stop, stop_mails
from wiki.services.watching import has_mails, set_mails, watches_any
from wiki.shown.changes import change_lines
from wiki.shown.notices import notice_lines

A_PAGE = 30
STOPS_PER_MINUTE = 20


@require_http_methods(["GET", "POST"])
def wiki_inbox(request: SpaceRequest) -> HttpResponseBase:
    """Show what waits and what is new; mark all as read, or have it mailed or not."""
    actor = request.actor
    if request.method == "POST":
        if request.POST.get("mails") in ("on", "off"):
            is_on = request.POST["mails"] == "on"
            set_mails(actor, is_on=is_on)
            on, off = _("News comes by mail, too."), _("No more mails about what you watch.")
            messages.success(request, on if is_on else off)
            return redirect("wiki_inbox")
        mark_read(actor)
        messages.success(request, _("All is marked as read."))
        return redirect("wiki_inbox")
    waiting = readable(actor, waiting_changes(actor)[:MOST_COUNTED])
    page = Paginator(notices_of(actor), A_PAGE).get_page(request.GET.get("page"))
    lines = notice_lines(actor, list(page.object_list))
    context = {
        "waiting": change_lines(actor, waiting),
        "notices": lines,
        "unread": count_unread(actor),
        "page_obj": page,
        "watches": watches_any(actor),
        "mails": has_mails(actor),
    }
    response = render(request, "wiki/inbox.html", context)
    mark_read(actor, [line.id for line in lines if line.is_unread])
    return response


@require_GET
def wiki_inbox_count(request: SpaceRequest) -> HttpResponse:
    """Show how much waits, in the navigation."""
    actor = request.actor
    context = {"count": count_waiting(actor), "unread": count_unread(actor)}
    return render(request, "wiki/_inbox_count.html", context)


@require_http_methods(["GET", "POST"])
def wiki_mails_stop(request: HttpRequest, token: str) -> HttpResponseBase:
    """End mails about a wiki from the link in one; a mail scanner that opens it ends nothing."""
    limit_by_address(request, action="wiki_mails", per_minute=STOPS_PER_MINUTE)
    stop = read_stop(token)
    is_done = request.method == "POST"
    if is_done:
        stop_mails(stop)
    return render(request, "wiki/public/mails.html", {"is_done": is_done})
