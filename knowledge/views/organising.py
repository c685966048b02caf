"""How a base is kept in order: folders, tags, many documents at once, the trash, marks."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render
from knowledge.constants import MarkKind
from knowledge.organising.bulk import (
    BulkResult,
    move_to_folder,
    read_all_again,
    tag_documents,
    trash_documents,
)
from knowledge.organising.folders import create_folder, delete_folder, move_folder
from knowledge.organising.marks import toggle_mark
from knowledge.organising.tags import (
    COLORS,
    change_tag,
    create_tag,
    delete_tag,
    list_tags,
    order_tags,
)
from knowledge.organising.trash import list_trash, remove_from_trash, restore_documents
from knowledge.pages.heads import head_of
from knowledge.pages.labels import icon_of
from knowledge.pages.selection import selection_in, tell_refused, uuids_in
from knowledge.pages.undo import offer_undo
from knowledge.queries import get_base

TRASH_A_PAGE = 100


@require_POST
def base_folders(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Make, rename, move or delete a folder, and go to where it is then."""
    asked, posted = request.POST.get("action", ""), request.POST
    path, name = posted.get("path", ""), posted.get("name", "")
    try:
        if asked == "create":
            made = create_folder(request.actor, base_id=base_id, path=_below(path, name))
            return _to_base(base_id, folder=made.path)
        if asked == "move":
            moved = move_folder(request.actor, base_id=base_id, path=path, new_path=name)
            messages.success(request, _documents(moved, _("The folder was moved with %(n)s.")))
            return _to_base(base_id, folder=name.strip("/ "))
        if asked == "delete":
            gone = delete_folder(request.actor, base_id=base_id, path=path)
            messages.success(request, _documents(gone, _("%(n)s went to the trash.")))
            return _to_base(base_id)
    except ProjectError as refusal:
        return _refused(request, refusal, _to_base(base_id, folder=path))
    raise Invalid(_("What is to be done with the folder? Say create, move or delete."))


@require_POST
def base_bulk(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Do one thing to the chosen documents, and say what was left as it is."""
    posted = request.POST
    selection, asked = selection_in(base_id, posted), posted.get("action", "")
    if asked == "tag":
        add, remove = _numbers(posted.getlist("add")), _numbers(posted.getlist("remove"))
        result = tag_documents(request.actor, selection, add=add, remove=remove)
        words = _("Tags of %(n)s were changed.")
    elif asked == "move":
        folder = posted.get("folder", "")
        result = move_to_folder(request.actor, selection, folder_path=folder)
        words = _("%(n)s moved.")
    elif asked == "retry":
        result, words = read_all_again(request.actor, selection), _("%(n)s are read again.")
    elif asked == "trash":
        result, words = trash_documents(request.actor, selection), _("%(n)s went to the trash.")
        offer_undo(request, base_id, result.done)
    else:
        raise Invalid(_("What is to be done with the documents? Say tag, move, retry or trash."))
    _tell(request, result, words)
    return redirect(_next(request, reverse("base", args=[base_id])))


@require_http_methods(["GET", "POST"])
def base_trash(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show what is in the trash; restore some of it, or end it for good."""
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    if request.method == "POST":
        return _change_trash(request, base_id)
    page = Paginator(list_trash(request.actor, base.pk), TRASH_A_PAGE).get_page(
        request.GET.get("page")
    )
    rows = [
        {
            "id": each.pk,
            "name": each.name,
            "folder": each.folder_path,
            "icon": icon_of(each.file_type),
            "size_bytes": each.size_bytes,
            "trashed_at": each.trashed_at,
            "trashed_by": str(each.trashed_by) if each.trashed_by else "",
        }
        for each in page
    ]
    context = {**head_of(request.actor, base), "rows": rows, "page_obj": page}
    return render(request, "knowledge/trash.html", context)


@require_http_methods(["GET", "POST"])
def base_tags(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show the tags of a base; make, change, order and delete them."""
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    problem = ""
    if request.method == "POST":
        problem = _change_tags(request, base_id)
        if not problem:
            return redirect("base_tags", base_id)
    tags = list(list_tags(request.actor, base.pk))
    context = {
        **head_of(request.actor, base),
        "tags": tags,
        "colors": [(each, color_label(each)) for each in COLORS],
        "problem": problem,
    }
    return render(request, "knowledge/tags.html", context, status=422 if problem else 200)


@require_POST
def base_mark(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Pin a base or make it a favourite; the same again takes that back."""
    kind = request.POST.get("kind", "")
    if kind not in MarkKind.values:
        raise Invalid(_("A knowledge base is marked as a pin or a favorite."))
    toggle_mark(request.actor, base_id=base_id, kind=MarkKind(kind))
    return redirect(_next(request, reverse("bases")))


def color_label(color: str) -> str:
    """Return a color of tags in words."""
    words = {
        "": _("Gray"),
        "accent": _("Blue"),
        "info": _("Teal"),
        "ok": _("Green"),
        "warn": _("Amber"),
        "bad": _("Red"),
    }
    return words[color]


def _change_trash(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    ids = uuids_in(request.POST.getlist("document"))
    asked = request.POST.get("action", "")
    if asked == "restore":
        number = restore_documents(request.actor, base_id=base_id, document_ids=ids)
        messages.success(request, _documents(number, _("%(n)s restored.")))
    elif asked in ("delete", "empty"):
        chosen = None if asked == "empty" else ids
        number = remove_from_trash(request.actor, base_id=base_id, document_ids=chosen)
        messages.success(request, _documents(number, _("%(n)s deleted for good.")))
    else:
        raise Invalid(_("What is to be done? Say restore, delete or empty."))
    return redirect(_next(request, reverse("base_trash", args=[base_id])))


def _change_tags(request: SpaceRequest, base_id: UUID) -> str:
    """Carry out what the form says; return what is wrong with it."""
    posted, asked = request.POST, request.POST.get("action", "")
    name, color = posted.get("name", ""), posted.get("color", "")
    tag_id = next(iter(_numbers([posted.get("tag", "")])), 0)
    try:
        if asked == "create":
            create_tag(request.actor, base_id=base_id, name=name, color=color)
        elif asked == "change":
            change_tag(request.actor, tag_id=tag_id, name=name, color=color)
        elif asked == "delete":
            delete_tag(request.actor, tag_id=tag_id)
        elif asked in ("up", "down"):
            _shift(request, base_id, tag_id, by=-1 if asked == "up" else 1)
        else:
            return _("What is to be done with the tag? Choose again.")
    except ProjectError as refusal:
        return refusal.message
    return ""


def _shift(request: SpaceRequest, base_id: UUID, tag_id: int, *, by: int) -> None:
    ids = list(list_tags(request.actor, base_id).values_list("pk", flat=True))
    if tag_id not in ids:
        return
    place = ids.index(tag_id)
    ids.insert(min(max(place + by, 0), len(ids) - 1), ids.pop(place))
    order_tags(request.actor, base_id=base_id, tag_ids=ids)


def _tell(request: SpaceRequest, result: BulkResult, words: str) -> None:
    messages.success(request, _documents(len(result.done), words))
    tell_refused(request, result)


def _documents(number: int, words: str) -> str:
    counted = ngettext("%(n)s document", "%(n)s documents", number) % {"n": f"{number:,}"}
    return words % {"n": counted}


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder.strip("/ ") else name


def _refused(
    request: SpaceRequest, refusal: ProjectError, answer: HttpResponseBase
) -> HttpResponseBase:
    """Go back to the page with the reason; who may not do it at all gets the error itself."""
    if refusal.http_status in (403, 404):
        raise refusal
    messages.error(request, refusal.message)
    return answer


def _to_base(base_id: UUID, *, folder: str = "") -> HttpResponseBase:
    query = f"?{urlencode({'folder': folder})}" if folder else ""
    return redirect(reverse("base", args=[base_id]) + query)


def _next(request: SpaceRequest, otherwise: str) -> str:
    following = request.POST.get("next", "")
    return (
        following if url_has_allowed_host_and_scheme(following, allowed_hosts=None) else otherwise
    )


def _numbers(values: list[str]) -> list[int]:
    return [int(each) for each in values if each.isdecimal() and len(each) < 18]
