"""Use cases of folders: make, rename, move, delete. What restricts them moves with them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from knowledge.access.fit import folders_above, lock_base, raise_walls
from knowledge.models import Document, Folder, KnowledgeBase, Restriction
from knowledge.organising.paths import clean_folder_path, is_within, moved, require_name, within
from knowledge.organising.trash import put_into_trash
from knowledge.queries import get_base

_BATCH = 500


def create_folder(actor: Actor, *, base_id: UUID, path: str) -> Folder:
    """Make an empty folder, with those above it.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: it has no name, or one that cannot be kept.
        Conflict: it is there.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    cleaned = require_name(path)
    with transaction.atomic():
        lock_base(base.pk)
        if Folder.objects.filter(base=base, path=cleaned).exists():
            raise Conflict(
                _("“%(name)s” is already a folder of this knowledge base.") % {"name": cleaned}
            )
        made = _keep(base, cleaned, user_id=actor.user_id)
        record_audit(actor, "folder.create", target=base, base_id=base.pk, folder=cleaned)
    return made


def move_folder(actor: Actor, *, base_id: UUID, path: str, new_path: str) -> int:
    """Give a folder another name or place, with all in it; returns how many documents moved.

    A folder that is there already takes them in. Restrictions of it and of folders below it go
    along, so that nobody reads more than before for its new place; who is kept out by the folders
    above the new place is kept out from then on.

    Raises:
        NotFound, AccessDenied: as `require` has it; or a part of it is closed to the actor.
        Invalid: the new place is the old one, or inside of it.
        Conflict: both folders are restricted: which of the two holds is for a person to say.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    old, new = require_name(path), require_name(new_path)
    if is_within(new, old):
        raise Invalid(_("A folder cannot be moved to where it is, or into itself."))
    with transaction.atomic():
        lock_base(base.pk)
        rows = _documents_in(actor, base, old)
        _move_restrictions(base, old=old, new=new)
        for document in rows:
            document.folder_path = moved(document.folder_path, old=old, new=new)
        Document.objects.bulk_update(rows, ["folder_path"], batch_size=_BATCH)
        for start in range(0, len(rows), _BATCH):
            raise_walls(rows[start : start + _BATCH])
        _move_made(base, old=old, new=new, user_id=actor.user_id)
        record_audit(
            actor,
            "folder.move",
            target=base,
            base_id=base.pk,
            old=old,
            new=new,
            documents=len(rows),
        )
    return len(rows)


def delete_folder(actor: Actor, *, base_id: UUID, path: str) -> int:
    """Put all documents of a folder into the trash and forget the folder; returns how many.

    Its restrictions stay as long as something in the trash needs them.

    Raises:
        NotFound, AccessDenied: as `require` has it; or a part of it is closed to the actor.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    cleaned = require_name(path)
    with transaction.atomic():
        lock_base(base.pk)
        rows = [each for each in _documents_in(actor, base, cleaned) if each.trashed_at is None]
        put_into_trash(actor, rows)
        Folder.objects.filter(within("path", cleaned), base=base).delete()
        record_audit(
            actor,
            "folder.delete",
            target=base,
            base_id=base.pk,
            folder=cleaned,
            documents=len(rows),
        )
    return len(rows)


def keep_folders_above(base: KnowledgeBase, path: str, *, user_id: int | None) -> None:
    """Remember a folder and those above it, so that they stay when their documents go."""
    cleaned = clean_folder_path(path)
    if cleaned:
        _keep(base, cleaned, user_id=user_id)


def _keep(base: KnowledgeBase, path: str, *, user_id: int | None) -> Folder:
    rows = [
        Folder(space_id=base.space_id, base=base, path=each, created_by_id=user_id)
        for each in folders_above(path)[1:]
    ]
    Folder.objects.bulk_create(rows, ignore_conflicts=True)
    return Folder.objects.get(base=base, path=path)


def _documents_in(actor: Actor, base: KnowledgeBase, path: str) -> list[Document]:
    """Return all documents in the folder and below it, those in the trash, too.

    Raises:
        NotFound: there is no such folder.
        AccessDenied: some are closed to the actor, who therefore cannot move the folder.
    """
    rows = Document.objects.filter(within("folder_path", path), base=base).select_for_update()
    found = list(rows)
    there = bool(found) or Folder.objects.filter(within("path", path), base=base).exists()
    if not there:
        raise NotFound(_("There is no such folder in this knowledge base."))
    ids = [each.pk for each in found]
    seen = set(visible(actor, "change", Document.objects.filter(pk__in=ids)).values_list("pk"))
    seen |= set(visible(actor, "manage", Document.objects.filter(pk__in=ids)).values_list("pk"))
    if len(seen) != len(ids):
        raise AccessDenied(
            _("Parts of this folder are closed to you; ask an administrator to do it."),
            attempted="folders.change",
            target=base,
        )
    return found


def _move_restrictions(base: KnowledgeBase, *, old: str, new: str) -> None:
    rows = Restriction.objects.filter(
        within("folder_path", old), base=base, document__isnull=True
    ).exclude(folder_path="")
    for row in rows:
        target = moved(row.folder_path, old=old, new=new)
        there = Restriction.objects.filter(
            base=base, document__isnull=True, folder_path=target
        ).exclude(pk=row.pk)
        if there.exists():
            raise Conflict(
                _(
                    "Both “%(old)s” and “%(new)s” are restricted. Lift one of the two restrictions"
                    " first, so that it is clear who can read the joined folder."
                )
                % {"old": row.folder_path, "new": target}
            )
        row.folder_path = target
        row.save(update_fields=["folder_path"])


def _move_made(base: KnowledgeBase, *, old: str, new: str, user_id: int | None) -> None:
    made: Sequence[Folder] = list(Folder.objects.filter(within("path", old), base=base))
    _keep(base, new, user_id=user_id)
    for row in made:
        _keep(base, moved(row.path, old=old, new=new), user_id=row.created_by_id)
    Folder.objects.filter(pk__in=[row.pk for row in made]).delete()
