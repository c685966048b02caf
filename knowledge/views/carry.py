"""Documents to another base, moved or copied; and copies of whole bases."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render
from knowledge.organising.bulk import BulkResult
from knowledge.organising.carry import copy_to_base, move_to_base
from knowledge.organising.copies import copy_base
from knowledge.pages.carry import other_bases
from knowledge.pages.selection import selection_in, tell_refused, uuids_in
from knowledge.pages.undo import offer_carry_back
from knowledge.queries import get_base, get_document


@require_http_methods(["GET", "POST"])
def base_carry(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Ask where one document shall go; move or copy the chosen ones there."""
    if request.method == "POST":
        return _carry(request, base_id)
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    ids = uuids_in([request.GET.get("document", "")])
    context = {
        "base": base,
        "document": get_document(request.actor, ids[0]),
        "bases": other_bases(request.actor, base),
    }
    return render(request, "knowledge/carry.html", context)


@require_POST
def base_copy(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Make a copy of a base, and go to it; to its progress while the content comes."""
    try:
        made, batch = copy_base(
            request.actor,
            base_id=base_id,
            name=request.POST.get("name", ""),
            with_content=request.POST.get("with_content") == "1",
        )
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
        return redirect("base_settings", base_id)
    if batch is not None:
        return redirect("batch", made.pk, batch.pk)
    messages.success(request, _("The knowledge base was copied."))
    return redirect("base", made.pk)


def _carry(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    posted, back = request.POST, _next(request, base_id)
    selection = selection_in(base_id, posted)
    target = get_base(request.actor, uuids_in([posted.get("target", "")])[0])
    asked = posted.get("action", "")
    try:
        if asked == "move":
            result = move_to_base(request.actor, selection, target_id=target.pk)
            offer_carry_back(request, base_id, target, result.done)
        elif asked == "copy":
            result = copy_to_base(request.actor, selection, target_id=target.pk)
            _tell_copied(request, result, target.name)
        else:
            raise Invalid(_("What is to be done with the documents? Say move or copy."))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
        return redirect(back)
    tell_refused(request, result)
    return redirect(back)


def _tell_copied(request: SpaceRequest, result: BulkResult, target: str) -> None:
    number = len(result.done)
    words = ngettext(
        "%(n)s document was copied to “%(target)s”.",
        "%(n)s documents were copied to “%(target)s”.",
        number,
    )
    messages.success(request, words % {"n": f"{number:,}", "target": target})


def _next(request: SpaceRequest, base_id: UUID) -> str:
    following = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return following
    return reverse("base", args=[base_id])
