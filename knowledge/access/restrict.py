"""Use cases of restrictions: set one, lift it. Those who may share a base may do it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.constants import MembershipState
from accounts.grants import grant_exactly
from accounts.models import SpaceGroup, User
from accounts.services.audit import record_audit
from core.errors import Invalid, NotFound
from knowledge.access.fit import documents_behind, documents_below, lock_base, raise_walls_of
from knowledge.access.walls import PERMISSION
from knowledge.models import (
    Folder,
    KnowledgeBase,
    Restriction,
    RestrictionGroupGrant,
    RestrictionUserGrant,
)
from knowledge.names import clean_file_name
from knowledge.queries import get_base, get_document


@dataclass(frozen=True, kw_only=True)
class Place:
    """What a restriction is about: a document, or a folder of a base with all below it."""

    base_id: UUID
    document_id: UUID | None = None
    folder_path: str = ""
    """With `document_id` None; blank is the whole base."""


def restrict(
    actor: Actor, place: Place, *, user_ids: Collection[int], group_ids: Collection[int]
) -> Restriction:
    """Let only these members and groups read the place, beside the base's creator and the admins.

    A restriction that is there is changed to exactly these. It holds from the next request on.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base; or the document is gone,
            or the base has no such folder.
        Invalid: somebody named is no member of the space, or a group is not of it.
    """
    base = _base_of(actor, place)
    users, groups = _members(actor, user_ids), _groups(actor, group_ids)
    with transaction.atomic():
        lock_base(base.pk)
        found = _find(place)
        if found is None:
            _require_folder(place)
        row = found or Restriction.objects.create(
            space_id=actor.space_id,
            base=base,
            document_id=place.document_id,
            folder_path=_folder(place),
            created_by_id=actor.user_id,
        )
        before = _named(row)
        grant_exactly(
            row,
            permission=PERMISSION,
            users=users,
            groups=[group.auth_group for group in groups],
            user_grants=RestrictionUserGrant,
            group_grants=RestrictionGroupGrant,
        )
        count = documents_behind(row).count() if found else raise_walls_of(row)
        _record(actor, "restriction.set", row, documents=count, old=before, new=_named(row))
    return row


def lift(actor: Actor, place: Place) -> None:
    """Open the place again, as far as no other restriction holds for it.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base; or nothing restricts it.
    """
    base = _base_of(actor, place)
    with transaction.atomic():
        lock_base(base.pk)
        row = _find(place)
        if row is None:
            raise NotFound(_("Nothing restricts this place itself; look at the folders above it."))
        count = documents_behind(row).count()
        _record(actor, "restriction.lift", row, documents=count, old=_named(row))
        row.delete()


def forget_person(*, user_id: int) -> None:
    """Take somebody out of all restrictions of the current space: they are no member any more."""
    RestrictionUserGrant._default_manager.filter(
        user_id=user_id, content_object__in=Restriction.objects.all()
    ).delete()


def _base_of(actor: Actor, place: Place) -> KnowledgeBase:
    """Return the base after asking whether the actor decides who reads it."""
    if place.document_id is not None:
        document = get_document(actor, place.document_id)
        if document.base_id != place.base_id:
            raise NotFound(_("There is no such document in this knowledge base."))
    base = get_base(actor, place.base_id)
    require(actor, "share", base)
    return base


def _folder(place: Place) -> str:
    """Return the folder as documents keep theirs."""
    if place.document_id is not None or not place.folder_path.strip("/ "):
        return ""
    return clean_file_name("x", folder_path=place.folder_path).folder_path


def _require_folder(place: Place) -> None:
    """Refuse a folder that nobody made and nothing lies in: a mistyped path would protect nothing."""
    path = _folder(place)
    if not path or documents_below(place.base_id, path).exists():
        return
    made = Q(path=path) | Q(path__startswith=f"{path}/")
    if not Folder.objects.filter(made, base_id=place.base_id).exists():
        text = _("This knowledge base has no folder “%(folder)s”. Choose one of its folders.")
        raise NotFound(text % {"folder": path})


def _find(place: Place) -> Restriction | None:
    rows = Restriction.objects.filter(base_id=place.base_id)
    if place.document_id is not None:
        return rows.filter(document_id=place.document_id).first()
    return rows.filter(document__isnull=True, folder_path=_folder(place)).first()


def _members(actor: Actor, user_ids: Collection[int]) -> Sequence[User]:
    rows = User.objects.filter(
        pk__in=set(user_ids),
        is_active=True,
        memberships__space_id=actor.space_id,
        memberships__state=MembershipState.ACTIVE,
    )
    found = list(rows)
    if len(found) != len(set(user_ids)):
        raise Invalid(_("Somebody chosen is not an active member of this space; choose again."))
    return found


def _groups(actor: Actor, group_ids: Collection[int]) -> Sequence[SpaceGroup]:
    rows = SpaceGroup.objects.filter(pk__in=set(group_ids), space_id=actor.space_id)
    found = list(rows.select_related("auth_group"))
    if len(found) != len(set(group_ids)):
        raise Invalid(_("A chosen group is not one of this space; choose again."))
    return found


def _named(row: Restriction) -> dict[str, list[int]]:
    """Return who is named, for the audit."""
    users = RestrictionUserGrant._default_manager.filter(content_object=row)
    groups = RestrictionGroupGrant._default_manager.filter(content_object=row)
    return {
        "users": sorted(users.values_list("user_id", flat=True)),
        "groups": sorted(groups.values_list("group_id", flat=True)),
    }


def _record(actor: Actor, action: str, row: Restriction, *, documents: int, **details: Any) -> None:
    record_audit(
        actor,
        action,
        target=row.document or row.base,
        folder=row.folder_path,
        base=str(row.base_id),
        documents=documents,
        **details,
    )
