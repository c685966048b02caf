"""What spaces share with each other, and which of it is open to a space.

Accounts imports no app above it: each app registers its kind of share, with the table that holds
it, and the arguments of addresses by which somebody comes to such a row. Everything about shares
is asked for with one query, whatever their number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, Value

from accounts.access import Actor
from accounts.constants import OrganisationRole, SharePermission
from accounts.grants import Share
from accounts.models import Organisation, OrganisationSpace
from core.tenancy import SpaceOwned, unscoped

SHARING_ROLES = (OrganisationRole.ADMIN, OrganisationRole.EDITOR)
"""Roles of a space with which it may share something in an organisation."""


@dataclass(frozen=True, kw_only=True)
class ShareKind:
    """One kind of thing that is shared."""

    name: str
    """`base` or `agent`."""
    row_model: type[SpaceOwned]
    share_model: type[Share]
    row_field: str
    """The share's foreign key to the row."""
    most: SharePermission = SharePermission.EDITOR
    """No share of the kind gives more."""
    alive: Q = field(default_factory=Q)
    """On shares: what is removed or switched off is open to nobody."""
    url_name: str = ""
    """Of the page that shows a row; empty: guests have none."""
    check: Callable[[Actor, Any], None] = lambda _actor, _row: None
    """Raises when the row cannot be shared as it is."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A row of another space that is open to a space, by the widest of its shares."""

    kind: str
    object_id: UUID
    space_id: int
    """The one that shares."""
    permission: SharePermission
    """The least of the share and the receiving space's role in the organisation."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """An argument of addresses that names a shared row, or something below one."""

    name: str
    kind: str
    lookup: str
    """From a share to the value."""
    along: bool = False
    """Whether people also come to what shares of other kinds open along."""


@dataclass(frozen=True, kw_only=True)
class Along:
    """Rows that a share of another kind opens to read beside its own: the bases of an agent."""

    by: str
    """The kind of the share."""
    kind: str
    """The kind of the rows."""
    path: str
    """From the share to the rows."""
    where: Q = field(default_factory=Q)
    """On shares: what must hold of the share's row and of these rows."""


_kinds: dict[str, ShareKind] = {}
_arguments: dict[str, Argument] = {}
_along: list[Along] = []


def register_kind(kind: ShareKind) -> None:
    """Let rows of a kind be shared; called from an app's `ready`."""
    if kind.name in _kinds:
        raise RuntimeError(f"{kind.name} is a kind of share already")
    _kinds[kind.name] = kind


def register_argument(argument: Argument) -> None:
    """Let guests come in by an argument of addresses; called from an app's `ready`."""
    if argument.name in _arguments:
        raise RuntimeError(f"{argument.name} leads to a share already")
    _arguments[argument.name] = argument


def register_along(along: Along) -> None:
    """Let shares of one kind open rows of another; called from an app's `ready`, after both kinds."""
    if along in _along:
        raise RuntimeError(f"{along.by} opens {along.kind} along already")
    _along.append(along)


def kind_of(name: str) -> ShareKind:
    """Return a kind by its name."""
    return _kinds[name]


def kinds() -> tuple[ShareKind, ...]:
    """Return every kind, in the order in which they were registered."""
    return tuple(_kinds.values())


def argument_of(name: str) -> Argument | None:
    """Return what an argument of an address leads to; None when it leads to nothing shared."""
    return _arguments.get(name)


def opened_to(
    space_id: int, kind: ShareKind, *, through: Collection[UUID] | None = (), **lookup: Any
) -> list[Opened]:
    """Return the rows of a kind that other spaces opened to this one, each once; one query.

    `lookup` narrows the shares. A space shares only while it is an editor of the organisation:
    whoever made it a viewer there has closed its shares at once. `through` names shared rows of
    other kinds, None all of them: what they open along counts, too, to read.
    """
    with unscoped(reason="shares of other spaces are what a space receives"):
        rows: Any = open_shares(space_id, kind).filter(**lookup).order_by()
        names = ("space_id", f"{kind.row_field}_id", "permission", "receiver_role")
        queries = [rows.values_list(*names), *_opened_along(space_id, kind, through, lookup)]
        found_rows = queries[0].union(*queries[1:], all=True) if queries[1:] else queries[0]
        values: list[Any] = list(found_rows)
    found: dict[UUID, Opened] = {}
    for owner_id, row_id, permission, role in values:
        opened = Opened(
            kind=kind.name,
            object_id=row_id,
            space_id=owner_id,
            permission=least(SharePermission(permission), kind.most, limit_of(role)),
        )
        known = found.get(row_id)
        if known is None or known.permission == SharePermission.VIEWER:
            found[row_id] = opened
    return list(found.values())


def _opened_along(
    space_id: int,
    kind: ShareKind,
    through: Collection[UUID] | None,
    lookup: Mapping[str, Any],
) -> Iterator[QuerySet[Any]]:
    """Yield the queries of rows of a kind that shares of other kinds open along."""
    if through is not None and not through:
        return
    for along in (each for each in _along if each.kind == kind.name):
        by = kind_of(along.by)
        wanted = {along.path + name.removeprefix(kind.row_field): lookup[name] for name in lookup}
        if through is not None:
            wanted[f"{by.row_field}__in"] = through
        # One filter: conditions on rows that are reached by a join must meet in the same row.
        rows = open_shares(space_id, by).filter(along.where, **wanted).order_by()
        yield rows.annotate(
            opened_id=F(along.path), right=Value(SharePermission.VIEWER.value)
        ).values_list("space_id", "opened_id", "right", "receiver_role")


def open_shares(space_id: int, kind: ShareKind) -> QuerySet[Share]:
    """Return the shares of a kind that reach a space, with `receiver_role`.

    Build and read it inside of `unscoped`; the rows are other spaces'.
    """
    places = OrganisationSpace.objects.filter(organisation=OuterRef("organisation"))
    sharing = places.filter(member=OuterRef("space"), role__in=SHARING_ROLES)
    chosen = kind.share_model.objects.filter(pk=OuterRef("pk"), receivers=space_id)
    rows: QuerySet[Share] = kind.share_model.objects.filter(kind.alive).exclude(space_id=space_id)
    return (
        rows.annotate(receiver_role=Subquery(places.filter(member_id=space_id).values("role")[:1]))
        .filter(Exists(sharing), receiver_role__isnull=False)
        .filter(Q(only_receivers=False) | Exists(chosen))
    )


def limit_of(role: str) -> SharePermission:
    """Return the most that a space's role in the organisation lets its people do."""
    return SharePermission.VIEWER if role == OrganisationRole.VIEWER else SharePermission.EDITOR


def least(*permissions: SharePermission) -> SharePermission:
    """Return the narrowest of several permissions."""
    if SharePermission.VIEWER in permissions:
        return SharePermission.VIEWER
    return SharePermission.EDITOR


def read_shares(kind: ShareKind, *, organisation_id: UUID) -> list[Any]:
    """Return the shares of a kind in an organisation, with rows, spaces and receivers, newest first."""
    with unscoped(reason="an organisation's shares belong to several spaces"):
        rows = kind.share_model.objects.filter(kind.alive, organisation_id=organisation_id)
        return list(loaded(kind, rows))


def read_received(kind: ShareKind, space_id: int) -> list[Any]:
    """Return the shares of a kind that reach a space, with `receiver_role`, by the row's name."""
    with unscoped(reason="shares of other spaces are what a space receives"):
        return sorted(
            loaded(kind, open_shares(space_id, kind)), key=lambda share: _name(kind, share)
        )


def _name(kind: ShareKind, share: Any) -> str:
    return str(getattr(share, kind.row_field)).casefold()


def loaded(kind: ShareKind, rows: QuerySet[Share]) -> QuerySet[Share]:
    """Return shares with all that a list of them shows."""
    related = ("organisation", "space", "shared_by", kind.row_field)
    return rows.select_related(*related).prefetch_related("receivers")


def owner_of_share(kind: ShareKind, share_id: int, *, organisation_id: UUID) -> int | None:
    """Return the space that shares; None when there is no such share in the organisation."""
    with unscoped(reason="an organisation's admin ends a share of another space"):
        found = kind.share_model.objects.filter(pk=share_id, organisation_id=organisation_id)
        return found.values_list("space_id", flat=True).first()


def close_all(organisation: Organisation) -> None:
    """Delete an organisation with all shares in it, which no cascade inside of one scope reaches."""
    with unscoped(reason="an organisation's shares belong to several spaces"):
        for kind in kinds():
            kind.share_model.objects.filter(organisation=organisation).delete()
        organisation.delete()


def close_of_space(organisation_id: UUID, space_id: int) -> int:
    """Delete what a space shared in an organisation; return how many shares that were.

    It is taken out of what others shared with it by name, too.
    """
    closed = 0
    with unscoped(reason="a space leaves: its own shares, and others' with it"):
        for kind in kinds():
            rows = kind.share_model.objects.filter(organisation_id=organisation_id)
            own = rows.filter(space_id=space_id)
            closed += own.count()
            own.delete()
            for share in rows.filter(receivers=space_id):
                share.receivers.remove(space_id)
    return closed
