"""Pages on which a document or a folder is restricted to people and groups."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import ProjectError
from core.htmx import render
from knowledge.access.restrict import Place, lift, restrict
from knowledge.models import KnowledgeBase
from knowledge.pages.access import (
    Wish,
    document_place,
    folder_place,
    folders_context,
    place_context,
    wish_in,
)
from knowledge.queries import get_base, get_document


@require_http_methods(["GET", "POST"])
def document_access(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show who reads a document; restrict it, or lift that."""
    document = get_document(request.actor, document_id)
    address = reverse("document_access", args=[document.pk])
    back = reverse("document", args=[document.pk])
    return _place(request, document.base, document_place(document), address=address, back=back)


@require_http_methods(["GET", "POST"])
def base_access(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show the folders of a base and who reads them; with `?folder=` restrict one."""
    base = get_base(request.actor, base_id)
    require(request.actor, "share", base)
    back = reverse("base_access", args=[base.pk])
    if "folder" not in request.GET:
        if request.method == "POST":
            return redirect(back)
        return render(request, "knowledge/folders.html", folders_context(request.actor, base))
    place = folder_place(base.pk, request.GET["folder"])
    address = f"{back}?{urlencode({'folder': place.folder_path})}"
    return _place(request, base, place, address=address, back=back)


def _place(
    request: SpaceRequest, base: KnowledgeBase, place: Place, *, address: str, back: str
) -> HttpResponseBase:
    require(request.actor, "share", base)
    if request.method == "POST":
        wish = wish_in(request.POST.getlist("who"), search="")
        problem = _change(request, place, wish)
        if not problem:
            return redirect(address)
        return _show(request, base, place, wish, address=address, back=back, problem=problem)
    search = request.GET.get("q")
    asked = wish_in(request.GET.getlist("who"), search=search) if search is not None else None
    return _show(request, base, place, asked, address=address, back=back)


def _change(request: SpaceRequest, place: Place, wish: Wish) -> str:
    """Carry out what the form says; return what is wrong with it."""
    try:
        if "lift" in request.POST:
            lift(request.actor, place)
            messages.success(
                request, _("The restriction is lifted. Restrictions of folders above still apply.")
            )
        else:
            restrict(request.actor, place, user_ids=wish.user_ids, group_ids=wish.group_ids)
            messages.success(request, _("Access is restricted from now on."))
    except ProjectError as refusal:
        return refusal.message
    return ""


def _show(
    request: SpaceRequest,
    base: KnowledgeBase,
    place: Place,
    wish: Wish | None,
    *,
    address: str,
    back: str,
    problem: str = "",
) -> HttpResponse:
    context = {
        **place_context(request.actor, base, place, wish),
        "base": base,
        "address": address,
        "back": back,
        "folder": place.folder_path,
        "is_folder": place.document_id is None,
        "problem": problem,
    }
    return render(
        request,
        "knowledge/access.html",
        context,
        partial="knowledge/_access_choices.html",
        status=422 if problem else 200,
    )
