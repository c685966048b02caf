"""Folders of a wiki: make, rename, move, delete."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.middleware import SpaceRequest
from core.errors import NotFound, ProjectError
from wiki.services.folders import (
    create_folder,
    delete_folder,
    get_folder,
    move_folder,
    rename_folder,
)
from wiki.shown.editing import uuid_or_none


@require_POST
def wiki_folders(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Make a folder."""
    parent = uuid_or_none(request.POST.get("parent", ""))
    try:
        create_folder(
            request.actor, base_id=base_id, name=request.POST.get("name", ""), parent_id=parent
        )
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("The folder is there."))
    return redirect("wiki_index", base_id)


@require_POST
def wiki_folder(request: SpaceRequest, base_id: UUID, folder_id: UUID) -> HttpResponseBase:
    """Rename, move or delete a folder."""
    actor, posted = request.actor, request.POST
    if get_folder(actor, folder_id).base_id != base_id:
        raise NotFound(_("There is no such folder in this wiki."))
    try:
        match posted.get("action", ""):
            case "rename":
                rename_folder(actor, folder_id, name=posted.get("name", ""))
                done = _("Renamed.")
            case "move":
                parent = uuid_or_none(posted.get("folder", ""))
                move_folder(actor, folder_id, parent_id=parent)
                done = _("Moved.")
            case "delete":
                delete_folder(actor, folder_id)
                done = _("The folder is gone.")
            case _:
                raise NotFound(_("What is to be done with the folder?"))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    return redirect("wiki_index", base_id)
