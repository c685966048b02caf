"""Use cases of a wiki's folders: make, rename, move, delete; at most three deep."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from wiki.constants import MAX_FOLDER_DEPTH
from wiki.models import WikiFolder, WikiPage
from wiki.pages.writing import lock_wiki
from wiki.queries import require_wiki

LONGEST_NAME = 200


def create_folder(
    actor: Actor, *, base_id: UUID, name: str, parent_id: UUID | None = None
) -> WikiFolder:
    """Make an empty folder, at the top or in another.

    Raises:
        NotFound, AccessDenied: as `require` has it for the wiki; there is no such parent.
        Invalid: the name is blank, too long or has a "/"; it would be too deep.
        Conflict: the parent has a folder of the name.
    """
    base = require_wiki(actor, base_id)
    require(actor, "edit", base)
    cleaned = clean_folder_name(name)
    with transaction.atomic():
        lock_wiki(base)
        parent = _one(actor, base_id, parent_id) if parent_id is not None else None
        folder = WikiFolder(space_id=base.space_id, base=base)
        _place(folder, parent, cleaned)
        folder.save()
        record_audit(
            actor, "wiki.folder.create", target=folder, base_id=base.pk, folder=folder.path
        )
    return folder


def rename_folder(actor: Actor, folder_id: UUID, *, name: str) -> WikiFolder:
    """Give a folder another name; what is in it stays there.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: the name is blank, too long or has a "/".
        Conflict: another folder beside it has the name.
    """
    return _change(actor, folder_id, name=clean_folder_name(name))


def move_folder(
    actor: Actor, folder_id: UUID, *, parent_id: UUID | None, sort_order: int | None = None
) -> WikiFolder:
    """Put a folder with all in it into another, or at the top for None.

    Raises:
        NotFound, AccessDenied: as `require` has it; there is no such parent.
        Invalid: the parent is the folder or in it; something would be too deep.
        Conflict: the parent has a folder of the name.
    """
    return _change(actor, folder_id, parent_id=parent_id, moves=True, sort_order=sort_order)


def delete_folder(actor: Actor, folder_id: UUID) -> None:
    """Delete an empty folder.

    Pages of the trash that were in it come back at the top.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: pages or folders are in it.
    """
    folder = get_folder(actor, folder_id)
    require(actor, "delete", folder)
    with transaction.atomic():
        lock_wiki(folder.base)
        pages = WikiPage.objects.filter(folder=folder)
        there = pages.filter(trashed_at__isnull=True).count()
        folders = WikiFolder.objects.filter(parent=folder).count()
        if there or folders:
            raise Conflict(
                _(
                    "“%(name)s” is not empty: it holds %(pages)s pages and %(folders)s folders."
                    " Move or delete them first."
                )
                % {"name": folder.name, "pages": there, "folders": folders}
            )
        pages.update(folder=None)
        record_audit(
            actor, "wiki.folder.delete", target=folder, base_id=folder.base_id, folder=folder.path
        )
        folder.delete()


def get_folder(actor: Actor, folder_id: UUID) -> WikiFolder:
    """Return one folder with its base.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = WikiFolder.objects.filter(pk=folder_id).select_related("base")
    folder = visible(actor, "view", rows).first()
    if folder is None:
        raise NotFound(_("There is no such folder in this wiki."))
    return folder


def clean_folder_name(name: str) -> str:
    """Return a name as folders keep theirs.

    Raises:
        Invalid: it is blank, too long or has a "/".
    """
    cleaned = " ".join(name.split())
    if not cleaned:
        raise Invalid(_("A folder needs a name."))
    if "/" in cleaned:
        raise Invalid(_("A folder's name has no “/”: make a folder in a folder instead."))
    if len(cleaned) > LONGEST_NAME:
        raise Invalid(
            _("The name has %(n)s characters; it may have at most %(most)s.")
            % {"n": len(cleaned), "most": LONGEST_NAME}
        )
    return cleaned


def _change(
    actor: Actor,
    folder_id: UUID,
    *,
    name: str | None = None,
    parent_id: UUID | None = None,
    moves: bool = False,
    sort_order: int | None = None,
) -> WikiFolder:
    asked = get_folder(actor, folder_id)
    require(actor, "change", asked)
    with transaction.atomic():
        lock_wiki(asked.base)
        folder = get_folder(actor, folder_id)  # again, now that nobody else changes folders
        old = folder.path
        parent = folder.parent
        if moves:
            parent = _one(actor, folder.base_id, parent_id) if parent_id is not None else None
            _refuse_into_itself(folder, parent)
        below = list(WikiFolder.objects.filter(base=folder.base, path__startswith=f"{old}/"))
        _place(folder, parent, name or folder.name, height=_height(folder, below))
        if sort_order is not None:
            folder.sort_order = sort_order
        folder.save()
        for each in below:
            each.path = folder.path + each.path[len(old) :]
            each.depth = each.path.count("/") + 1
        WikiFolder.objects.bulk_update(below, ["path", "depth"])
        record_audit(
            actor,
            "wiki.folder.move" if moves else "wiki.folder.rename",
            target=folder,
            base_id=folder.base_id,
            old=old,
            new=folder.path,
        )
    return folder


def _place(folder: WikiFolder, parent: WikiFolder | None, name: str, *, height: int = 1) -> None:
    """Set name, parent, path and depth; `height` counts the folder and the levels below it."""
    depth = parent.depth + 1 if parent else 1
    if depth + height - 1 > MAX_FOLDER_DEPTH:
        raise Invalid(
            _("Folders are at most %(most)s deep; this one would be %(depth)s deep.")
            % {"most": MAX_FOLDER_DEPTH, "depth": depth + height - 1}
        )
    path = f"{parent.path}/{name}" if parent else name
    same = WikiFolder.objects.filter(base_id=folder.base_id, path=path).exclude(pk=folder.pk)
    if same.exists():
        raise Conflict(_("There is already a folder “%(name)s” here.") % {"name": name})
    folder.parent, folder.name, folder.path, folder.depth = parent, name, path, depth


def _height(folder: WikiFolder, below: list[WikiFolder]) -> int:
    return 1 + max((each.depth for each in below), default=folder.depth) - folder.depth


def _refuse_into_itself(folder: WikiFolder, parent: WikiFolder | None) -> None:
    if parent is not None and f"{parent.path}/".startswith(f"{folder.path}/"):
        raise Invalid(_("A folder cannot be moved into itself, or into one of its own folders."))


def _one(actor: Actor, base_id: UUID, folder_id: UUID) -> WikiFolder:
    folder = get_folder(actor, folder_id)
    if folder.base_id != base_id:
        raise NotFound(_("There is no such folder in this wiki."))
    return folder
