"""Shares: opened, changed, ended, listed. The same use cases for every kind of thing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, may, require
from accounts.constants import RANK, Role, SharePermission
from accounts.grants import Share
from accounts.models import OrganisationSpace, Space
from accounts.organisations.places import get_place
from accounts.organisations.trail import record_elsewhere, record_in_spaces
from accounts.services.audit import record_audit
from accounts.shares import (
    ShareKind,
    kind_of,
    kinds,
    least,
    loaded,
    owner_of_share,
    read_shares,
)
from core.errors import AccessDenied, Invalid, NotFound
from core.tenancy import space_scope


@dataclass(frozen=True, kw_only=True)
class ShareRow:
    """A share as pages list it."""

    kind: str
    id: int
    name: str
    """Of the base or agent."""
    object_id: UUID
    owner_id: int
    owner: str
    """The space that shares."""
    organisation_id: UUID
    organisation: str
    permission: SharePermission
    only_receivers: bool
    """Whether only `receivers` get it, else every space of the organisation."""
    receivers: tuple[str, ...]
    receiver_ids: frozenset[int]
    shared_by: str
    created_at: datetime
    may_end: bool = False

    @property
    def permission_label(self) -> str:
        """The permission in words."""
        return str(self.permission.label)


@transaction.atomic
def share_row(
    actor: Actor,
    *,
    kind: str,
    object_id: UUID,
    organisation_id: UUID,
    permission: str = SharePermission.VIEWER,
    receiver_ids: Collection[int] | None = None,
) -> Share:
    """Open a row of the actor's space to an organisation, or change how it is open to it.

    `receiver_ids` names the spaces that get it; None means all, those that come later, too.

    Raises:
        NotFound: the row or the organisation is not there for the actor.
        AccessDenied: the row is not theirs to share, or their space is a viewer there.
        Invalid: no such permission, or a receiver is not in the organisation.
    """
    described = kind_of(kind)
    row = own_row(actor, described, object_id)
    require(actor, "share", row)
    organisation = get_place(actor, organisation_id, action="share").organisation
    described.check(actor, row)
    chosen = _checked_receivers(actor, organisation_id, receiver_ids)
    wanted = least(_checked_permission(permission), described.most)
    share: Share = _locked(described, row, organisation_id)
    before = _terms(share) if share.pk else None
    reached = _reached(share) if share.pk else set()
    share.permission, share.only_receivers = wanted, chosen is not None
    if before is None:
        share.shared_by_id = actor.user_id
    share.save()
    share.receivers.set(chosen or ())
    after = _terms(share)
    if before != after:
        action = f"{kind}.share" if before is None else f"{kind}.share_change"
        record_audit(
            actor, action, target=row, organisation=organisation.name, old=before, new=after
        )
        _tell_receivers(actor, action, share, row, spaces=reached | _reached(share))
    return share


@transaction.atomic
def end_share(actor: Actor, *, kind: str, share_id: int) -> Share:
    """Close a share of the actor's own space: from the next request on it opens nothing.

    Who shared the row may do it, and who may share it.

    Raises:
        NotFound: the space has no such share.
        AccessDenied: it is not theirs to end.
    """
    described = kind_of(kind)
    share = described.share_model.objects.select_related("organisation").filter(pk=share_id).first()
    if share is None or share.space_id != actor.space_id:
        raise NotFound(_("There is no such share."))
    row = getattr(share, described.row_field)
    if not _may_end(actor, share, row):
        require(actor, "view", row)
        raise AccessDenied(
            _("Only the person who shared it, and those who may share it, can end this.")
        )
    record_audit(
        actor,
        f"{kind}.share_end",
        target=row,
        organisation=share.organisation.name,
        old=_terms(share),
    )
    _tell_receivers(actor, f"{kind}.share_end", share, row, spaces=_reached(share))
    share.delete()
    return share


@transaction.atomic
def end_share_in(actor: Actor, *, organisation_id: UUID, kind: str, share_id: int) -> None:
    """Close any share in an organisation, as one of its admins, or an own one as `end_share` has it.

    Raises:
        NotFound: there is no such share in an organisation of the actor's space.
        AccessDenied: they may not end it.
    """
    place = get_place(actor, organisation_id)
    described = kind_of(kind)
    owner_id = owner_of_share(described, share_id, organisation_id=organisation_id)
    if owner_id is None:
        raise NotFound(_("There is no such share."))
    if owner_id == actor.space_id and not may(actor, "manage", place):
        end_share(actor, kind=kind, share_id=share_id)
        return
    require(actor, "manage", place)
    with space_scope(owner_id):
        share = described.share_model.objects.get(pk=share_id)
        row, terms = getattr(share, described.row_field), _terms(share)
        name, reached = str(row), _reached(share)
        _tell_receivers(actor, f"{kind}.share_end", share, row, spaces=reached - {owner_id})
        share.delete()
    record_in_spaces(
        actor,
        f"{kind}.share_end",
        target=row,
        spaces=[owner_id],
        organisation=place.organisation.name,
        name=name,
        old=terms,
    )


def own_row(actor: Actor, kind: ShareKind, object_id: UUID) -> Any:
    """Return a row of the actor's space that they see.

    Raises:
        NotFound: there is none.
    """
    row = kind.row_model.objects.filter(pk=object_id, space_id=actor.space_id).first()
    if row is None:
        raise NotFound(
            _("There is no such %(thing)s.") % {"thing": kind.row_model._meta.verbose_name}
        )
    require(actor, "view", row)
    return row


def shares_of(actor: Actor, *, kind: str, object_id: UUID) -> list[ShareRow]:
    """Return with whom a row of the actor's space is shared, newest first.

    Raises:
        NotFound: there is no such row.
        AccessDenied: only who may share it reads that.
    """
    described = kind_of(kind)
    row = own_row(actor, described, object_id)
    require(actor, "share", row)
    rows = described.share_model.objects.filter(**{described.row_field: row})
    return [_row(described, share, may_end=True) for share in loaded(described, rows)]


def shares_in(actor: Actor, *, organisation_id: UUID) -> list[ShareRow]:
    """Return what is shared in an organisation and reaches the actor's space, or comes from it.

    Raises:
        NotFound: the space is not in the organisation.
    """
    place = get_place(actor, organisation_id)
    may_manage = may(actor, "manage", place)
    found: list[ShareRow] = []
    for kind in kinds():
        for share in read_shares(kind, organisation_id=organisation_id):
            if not (may_manage or _reaches(share, actor.space_id)):
                continue
            own = share.space_id == actor.space_id
            row = getattr(share, kind.row_field)
            ends = may_manage or (own and _may_end(actor, share, row))
            found.append(_row(kind, share, may_end=ends))
    return found


def sharing_places(actor: Actor) -> list[OrganisationSpace]:
    """Return the places in which the actor may share something, by the organisation's name."""
    from_space = OrganisationSpace.objects.filter(member_id=actor.space_id)
    rows = from_space.select_related("organisation").order_by("organisation__name")
    return [place for place in rows if may(actor, "share", place)]


def _may_end(actor: Actor, share: Share, row: Any) -> bool:
    sharer = actor.user_id is not None and share.shared_by_id == actor.user_id
    return (sharer and actor.rank >= RANK[Role.CONTRIBUTOR]) or may(actor, "share", row)


def _reaches(share: Share, space_id: int) -> bool:
    if share.space_id == space_id or not share.only_receivers:
        return True
    return any(each.pk == space_id for each in share.receivers.all())


def _row(kind: ShareKind, share: Any, *, may_end: bool) -> ShareRow:
    row = getattr(share, kind.row_field)
    receivers: list[Space] = list(share.receivers.all()) if share.only_receivers else []
    return ShareRow(
        kind=kind.name,
        id=share.pk,
        name=str(row),
        object_id=row.pk,
        owner_id=share.space_id,
        owner=share.space.name,
        organisation_id=share.organisation_id,
        organisation=share.organisation.name,
        permission=SharePermission(share.permission),
        only_receivers=share.only_receivers,
        receivers=tuple(sorted(each.name for each in receivers)),
        receiver_ids=frozenset(each.pk for each in receivers),
        shared_by=str(share.shared_by) if share.shared_by else "",
        created_at=share.created_at,
        may_end=may_end,
    )


def _locked(kind: ShareKind, row: Any, organisation_id: UUID) -> Any:
    """Return the row's share with the organisation, locked; a new one when there is none."""
    type(row)._default_manager.select_for_update().get(pk=row.pk)  # one share at a time
    rows = kind.share_model.objects.filter(organisation_id=organisation_id, **{kind.row_field: row})
    return rows.first() or kind.share_model(
        space_id=row.space_id,
        organisation_id=organisation_id,
        created_at=timezone.now(),
        **{kind.row_field: row},
    )


def _reached(share: Share) -> set[int]:
    """Return the spaces that get a share."""
    if share.only_receivers:
        return set(share.receivers.values_list("pk", flat=True))
    places = OrganisationSpace.objects.filter(organisation_id=share.organisation_id)
    return set(places.values_list("member_id", flat=True)) - {share.space_id}


def _tell_receivers(
    actor: Actor, action: str, share: Share, row: Any, *, spaces: Collection[int]
) -> None:
    """Write a share into the logs of those who get it; who else gets it is not theirs to read."""
    record_elsewhere(
        actor,
        action,
        target=row,
        spaces=spaces,
        organisation=share.organisation.name,
        name=str(row),
        permission=str(share.permission),
    )


def _terms(share: Any) -> dict[str, Any]:
    names = sorted(share.receivers.values_list("name", flat=True)) if share.only_receivers else None
    return {"permission": str(share.permission), "receivers": names}


def _checked_permission(permission: str) -> SharePermission:
    if permission not in SharePermission.values:
        known = ", ".join(SharePermission.values)
        raise Invalid(f"There is no permission {permission!r} of a share; choose one of {known}.")
    return SharePermission(permission)


def _checked_receivers(
    actor: Actor, organisation_id: UUID, receiver_ids: Collection[int] | None
) -> list[Space] | None:
    if receiver_ids is None:
        return None
    wanted = set(receiver_ids) - {actor.space_id}
    if not wanted:
        raise Invalid(_("Choose at least one space of the organisation, or share it with all."))
    rows = Space.objects.filter(
        pk__in=wanted, organisations__organisation_id=organisation_id
    ).distinct()
    found = list(rows)
    if len(found) != len(wanted):
        raise Invalid(_("Only spaces of the organisation can get it; choose among them."))
    return found
