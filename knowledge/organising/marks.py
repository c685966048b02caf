"""Bases that a person keeps at hand: pinned ones come first, favourites behind them."""

from __future__ import annotations

from collections import defaultdict
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor
from core.errors import AccessDenied
from knowledge.constants import MarkKind
from knowledge.models import BaseMark
from knowledge.queries import get_base


def toggle_mark(actor: Actor, *, base_id: UUID, kind: MarkKind) -> bool:
    """Pin a base, or take the pin off; likewise for favourites. Returns whether it is marked now.

    Raises:
        NotFound: there is no such base.
        AccessDenied: a key has no bases of its own to keep at hand.
    """
    base = get_base(actor, base_id)
    if actor.user_id is None or actor.is_machine:
        raise AccessDenied(
            _("Only people can pin knowledge bases or make them favorites."),
            attempted="bases.mark",
            target=base,
        )
    gone = BaseMark.objects.filter(base=base, user_id=actor.user_id, kind=kind).delete()
    if gone[0]:
        return False
    BaseMark.objects.get_or_create(
        base=base, user_id=actor.user_id, kind=kind, defaults={"space_id": base.space_id}
    )
    return True


def marks_of(actor: Actor) -> dict[UUID, frozenset[str]]:
    """Return the actor's own marks in this space, by base."""
    found: defaultdict[UUID, set[str]] = defaultdict(set)
    if actor.user_id is not None:
        rows = BaseMark.objects.filter(user_id=actor.user_id)
        for base_id, kind in rows.values_list("base_id", "kind"):
            found[base_id].add(kind)
    return {base_id: frozenset(kinds) for base_id, kinds in found.items()}
