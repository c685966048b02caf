"""Which folders' names are hidden from somebody: those that a restriction closes to them."""

from __future__ import annotations

from accounts.access import Actor
from accounts.constants import RANK, Role
from accounts.grants import granted_to
from knowledge.access.walls import PERMISSION, passes_every_wall
from knowledge.models import (
    KnowledgeBase,
    Restriction,
    RestrictionGroupGrant,
    RestrictionUserGrant,
)


def closed_folders(actor: Actor, base: KnowledgeBase) -> tuple[str, ...]:
    """Return the restricted folders of the base that the actor does not pass."""
    if passes_every_wall(actor) or _owns(actor, base):
        return ()
    rows = Restriction.objects.filter(base=base, document__isnull=True)
    if actor.kind == "user" and actor.user_id is not None and not actor.is_guest:
        rows = rows.exclude(
            granted_to(
                actor.user_id,
                permission=PERMISSION,
                user_grants=RestrictionUserGrant,
                group_grants=RestrictionGroupGrant,
            )
        )
    return tuple(rows.values_list("folder_path", flat=True))


def _owns(actor: Actor, base: KnowledgeBase) -> bool:
    """Whether the base is theirs, and they may still own one."""
    return (
        actor.kind == "user"
        and not actor.is_guest
        and base.created_by_id == actor.user_id
        and actor.rank >= RANK[Role.CONTRIBUTOR]
    )
