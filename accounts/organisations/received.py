"""What other spaces share with a space, as its pages list it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.urls import reverse

from accounts.access import Actor
from accounts.constants import SharePermission
from accounts.guests import can_be_guest, own_limit
from accounts.shares import ShareKind, kind_of, kinds, least, limit_of, read_received


@dataclass(frozen=True, kw_only=True)
class ReceivedRow:
    """Something that another space opened to the actor's."""

    kind: str
    object_id: UUID
    name: str
    description: str
    owner_id: int
    owner: str
    """The space that shares."""
    organisations: tuple[str, ...]
    """By which of them it came."""
    permission: SharePermission
    """What the actor may do with it."""
    url: str
    """Its page; empty when it has none for guests."""

    @property
    def permission_label(self) -> str:
        """The permission in words."""
        return str(self.permission.label)


def received(actor: Actor, *, kind: str) -> list[ReceivedRow]:
    """Return the rows of a kind that are open to the actor from other spaces, by name."""
    if not can_be_guest(actor):
        return []
    described = kind_of(kind)
    by_id: dict[UUID, ReceivedRow] = {}
    for share in read_received(described, actor.space_id):
        row = _row(actor, described, share)
        known = by_id.get(row.object_id)
        by_id[row.object_id] = row if known is None else _joined(known, row)
    return list(by_id.values())


def received_all(actor: Actor) -> list[ReceivedRow]:
    """Return everything that is open to the actor from other spaces, kind by kind."""
    return [row for kind in kinds() for row in received(actor, kind=kind.name)]


def _row(actor: Actor, kind: ShareKind, share: Any) -> ReceivedRow:
    row = getattr(share, kind.row_field)
    granted = SharePermission(share.permission)
    permission = least(granted, kind.most, limit_of(share.receiver_role), own_limit(actor))
    return ReceivedRow(
        kind=kind.name,
        object_id=row.pk,
        name=str(row),
        description=row.description,
        owner_id=share.space_id,
        owner=share.space.name,
        organisations=(share.organisation.name,),
        permission=permission,
        url=reverse(kind.url_name, args=[row.pk]) if kind.url_name else "",
    )


def _joined(one: ReceivedRow, other: ReceivedRow) -> ReceivedRow:
    """Return a row that came by several shares once, with the widest permission."""
    wide = SharePermission.EDITOR in (one.permission, other.permission)
    return replace(
        one,
        organisations=tuple(sorted({*one.organisations, *other.organisations})),
        permission=SharePermission.EDITOR if wide else SharePermission.VIEWER,
    )
