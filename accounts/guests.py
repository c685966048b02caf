"""Guests: people who open something that another space shares with theirs.

A guest is an actor of the space that shares, with no role there and the shared rows named one by
one: for the time of one request, one search, one reading. Everything else of that space does not
exist for them. Who is a guest is asked anew each time, so that a share that ended opens nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.urls import Resolver404, resolve

from accounts.access import Actor, Shared
from accounts.constants import RANK, Role, SharePermission
from accounts.shares import Opened, argument_of, kind_of, least, opened_to
from core.tenancy import space_scope

WITHOUT_GUESTS = ("/api/", "/admin/", "/account/", "/static/", "/health/")
"""Paths at which nobody becomes a guest: keys and administrators have doors of their own."""


def guest_for(actor: Actor, *, kind: str, object_id: UUID) -> Actor | None:
    """Return the actor as a guest of the space that shares a row; None when none does.

    One query; none for those who cannot be guests: keys, visitors and guests themselves.
    """
    found = guests_of(actor, kind=kind, object_ids=[object_id])
    return found[0] if found else None


def guests_of(
    actor: Actor, *, kind: str, object_ids: Collection[UUID] | None = None
) -> list[Actor]:
    """Return the actor as a guest of each space that shares rows of a kind, with those rows.

    `object_ids` narrows the rows; None means all that are shared. One query.
    """
    if not can_be_guest(actor) or (object_ids is not None and not object_ids):
        return []
    described = kind_of(kind)
    lookup: Mapping[str, Any] = (
        {} if object_ids is None else {f"{described.row_field}__in": object_ids}
    )
    opened = opened_to(actor.space_id, described, through=actor.through, **lookup)
    return _guests(actor, opened)


def guest_at(actor: Actor, path: str) -> Actor | None:
    """Return the guest that the actor becomes by opening an address; None when it is an own one.

    It is theirs when no argument names something shared. Of several arguments the first counts.
    """
    if not can_be_guest(actor) or path.startswith(WITHOUT_GUESTS):
        return None
    for name, value in _arguments_of(path).items():
        argument = argument_of(name)
        if argument is not None:
            through = None if argument.along else ()
            lookup = {argument.lookup: value}
            opened = opened_to(actor.space_id, kind_of(argument.kind), through=through, **lookup)
            found = _guests(actor, opened)
            return found[0] if found else None
    return None


def guests_through(actor: Actor, *, argument: str, values: Collection[object]) -> list[Actor]:
    """Return the guests who may come to things below shared rows, such as documents; one query.

    `argument` is the name under which addresses have them: "document_id".
    """
    described = argument_of(argument)
    if described is None or not values or not can_be_guest(actor):
        return []
    lookup = {f"{described.lookup}__in": values}
    kind = kind_of(described.kind)
    return _guests(actor, opened_to(actor.space_id, kind, through=actor.through, **lookup))


def guests_by_address(actor: Actor, *, argument: str, values: Collection[object]) -> list[Actor]:
    """Return the guests whom addresses with this argument would make of the actor; one query."""
    described = argument_of(argument)
    reader = reading_again(actor) if described is not None and described.along else actor
    return guests_through(reader, argument=argument, values=values)


@contextmanager
def reading(actor: Actor, *, argument: str, value: object) -> Iterator[Actor]:
    """Read one thing in the scope of its space, as whom the actor is there.

    For what is shared with them that is a guest, for everything else the actor: whether they may
    read it is for the queries of the block to ask.
    """
    found = guests_through(actor, argument=argument, values=[value])
    reader = found[0] if found else actor
    with space_scope(reader.space_id):
        yield reader


def reading_again(actor: Actor) -> Actor:
    """Return the actor as they read what is stored: through whatever is shared with them now.

    An answer of a shared agent rests on bases that only the agent's share opens.
    """
    return replace(actor, through=None)


def can_be_guest(actor: Actor) -> bool:
    """Say whether the actor is a person who works in a space of their own."""
    return actor.kind == "user" and actor.role is not None and not actor.is_guest


def own_limit(actor: Actor) -> SharePermission:
    """Return the most that the person's role in their own space lets them do elsewhere."""
    if actor.rank >= RANK[Role.CONTRIBUTOR]:
        return SharePermission.EDITOR
    return SharePermission.VIEWER


def _guests(actor: Actor, opened: Iterable[Opened]) -> list[Actor]:
    own = own_limit(actor)
    by_space: defaultdict[int, set[Shared]] = defaultdict(set)
    for each in opened:
        by_space[each.space_id].add(
            Shared(
                kind=each.kind,
                object_id=each.object_id,
                permission=least(each.permission, own),
            )
        )
    return [
        Actor(
            kind=actor.kind,
            id=actor.id,
            user_id=actor.user_id,
            space_id=space_id,
            home_space_id=actor.space_id,
            shared=frozenset(shared),
        )
        for space_id, shared in sorted(by_space.items())
    ]


def _arguments_of(path: str) -> Mapping[str, Any]:
    try:
        return resolve(path).kwargs
    except Resolver404:
        return {}
