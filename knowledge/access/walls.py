"""Which documents are closed to whom: one condition, in SQL, for lists and single checks alike.

A `DocumentWall` says that a restriction holds for a document. A wall is passed by the people and
groups whom the restriction names, by the creator of the base, and by owners and admins of the
space. Nobody else passes one: no key, no visitor, no guest by a share.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.access import Actor, Clause
from accounts.constants import RANK, Role
from accounts.grants import granted_to, permission_id
from accounts.linked import LinkedExists, LinkedRows
from core.tenancy import current_space_id
from knowledge.models import (
    DocumentWall,
    RemovedDocument,
    Restriction,
    RestrictionGroupGrant,
    RestrictionUserGrant,
)

PERMISSION = "pass_restriction"


def passes_every_wall(actor: Actor) -> bool:
    """Whether no restriction ever holds for the actor: admins, owners, the platform itself."""
    return (
        actor.kind in ("user", "system") and not actor.is_guest and actor.rank >= RANK[Role.ADMIN]
    )


def closed_walls(actor: Actor) -> QuerySet[DocumentWall] | None:
    """Return the walls of the space that the actor does not pass; None when there can be none."""
    if passes_every_wall(actor):
        return None
    user_id = actor.user_id if _has_own_rights(actor) else None
    return _closed_to(_Passer(user_id=user_id, may_own_bases=_may_own_bases(actor)))


def _closed_to(passer: _Passer) -> QuerySet[DocumentWall]:
    walls = DocumentWall.objects.all()
    if passer.user_id is None:
        return walls
    named = granted_to(
        passer.user_id,
        permission=PERMISSION,
        user_grants=RestrictionUserGrant,
        group_grants=RestrictionGroupGrant,
        path="restriction_id",
    )
    walls = walls.exclude(named)
    if passer.may_own_bases:
        walls = walls.exclude(restriction__base__created_by=passer.user_id)
    return walls


def wall_clauses(actor: Actor) -> tuple[Clause, ...]:
    """Return the denial of documents behind a wall that the actor does not pass."""
    if passes_every_wall(actor):
        return ()
    rows = _closed_rows(
        current_space_id(),
        permission_id(Restriction, PERMISSION),
        _Passer(
            user_id=actor.user_id if _has_own_rights(actor) else None,
            may_own_bases=_may_own_bases(actor),
        ),
    )
    where = Q(LinkedExists(rows))
    return (Clause(effect="deny", reason="It is restricted to others.", where=where),)


@dataclass(frozen=True)
class _Passer:
    """What of an actor matters for walls."""

    user_id: int | None
    may_own_bases: bool


@lru_cache(maxsize=4096)
def _closed_rows(_space_id: int | None, _permission: int, passer: _Passer) -> LinkedRows:
    """Return the compiled keys of closed documents; the arguments are all that it depends on."""
    return LinkedRows.of(_closed_to(passer), link="document_id")


def sealed_to(actor: Actor) -> Q | None:
    """Return which seals of gone documents are closed to the actor; None when none is."""
    if passes_every_wall(actor):
        return None
    restricted = Q(was_restricted=True)
    return restricted & ~Q(base_creator=actor.user_id) if _may_own_bases(actor) else restricted


def sealed_ids(actor: Actor, document_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the ids whose documents are gone, were restricted and are closed to them."""
    where = sealed_to(actor)
    if where is None or not document_ids:
        return set()
    rows = RemovedDocument.objects.filter(where, document_id__in=document_ids)
    return set(rows.values_list("document_id", flat=True))


def _has_own_rights(actor: Actor) -> bool:
    """Whether they are a person of this space, whom a restriction can name."""
    return actor.kind == "user" and actor.user_id is not None and not actor.is_guest


def _may_own_bases(actor: Actor) -> bool:
    """Whether what they made is theirs still: who became a mere viewer does not manage it."""
    return _has_own_rights(actor) and actor.rank >= RANK[Role.CONTRIBUTOR]
