"""The page on which a base is shared with organisations."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from accounts.organisations.forms import ShareForm
from accounts.organisations.pages import share_cards, take_share
from accounts.organisations.sharing import end_share
from core.htmx import render
from knowledge.pages.heads import head_of
from knowledge.queries import get_base


@require_http_methods(["GET", "POST"])
def base_sharing(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show with whom a base is shared; share it with one organisation, or change that."""
    if request.method == "POST":
        refused = take_share(request, request.actor, kind="base", object_id=base_id)
        if refused:
            return _show(request, base_id, bound=refused)
        messages.success(request, _("Shared. It is open to them from now on."))
        return redirect("base_sharing", base_id)
    return _show(request, base_id)


@require_POST
def base_sharing_end(request: SpaceRequest, base_id: UUID, share_id: int) -> HttpResponseBase:
    """Close a share of the base."""
    require(request.actor, "use", get_base(request.actor, base_id))
    end_share(request.actor, kind="base", share_id=share_id)
    messages.success(request, _("No longer shared. It is closed to them from now on."))
    return redirect("base_sharing", base_id)


def _show(
    request: SpaceRequest, base_id: UUID, *, bound: Mapping[UUID, ShareForm] | None = None
) -> HttpResponse:
    base = get_base(request.actor, base_id)
    context = {
        **head_of(request.actor, base),
        "cards": share_cards(request.actor, kind="base", object_id=base_id, bound=bound),
        "kind": "base",
    }
    return render(request, "knowledge/sharing.html", context, status=422 if bound else 200)
