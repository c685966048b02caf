"""Spaces: made, renamed, entered."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.access import Actor, require
from accounts.actors import SPACE_SESSION_KEY, active_memberships
from accounts.constants import Role
from accounts.models import Membership, Space, User
from accounts.signals import space_created
from core.errors import Invalid, LimitReached, NotFound
from core.tenancy import space_scope

NAME_LENGTH = 200


def create_space(user: User, *, name: str, description: str = "") -> Space:
    """Make a space that `user` owns, with what every new space begins with.

    Raises:
        Invalid: the name is blank or too long.
        LimitReached: the person owns as many spaces as the installation allows one person.
    """
    name = _checked_name(name)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # spaces of one person are made in turn
        _require_room(user)
        space = Space.objects.create(name=name, description=description.strip(), created_by=user)
        Membership.objects.create(space=space, user=user, role=Role.OWNER)
        with space_scope(space.pk):
            space_created.send(Space, space=space, creator=user)
    return space


def rename_space(actor: Actor, *, name: str, description: str) -> Space:
    """Change the name and description of the actor's space.

    Raises:
        AccessDenied: the actor is not an admin.
        Invalid: the name is blank or too long.
    """
    space = Space.objects.get(pk=actor.space_id)
    require(actor, "change", space)
    space.name = _checked_name(name)
    space.description = description.strip()
    space.save(update_fields=["name", "description"])
    return space


def switch_space(user: User, *, space_id: int, session: MutableMapping[str, Any]) -> Membership:
    """Let the person work in another of their spaces, now and when they come back.

    Raises:
        NotFound: they are not an active member of it.
    """
    membership = active_memberships(user).filter(space_id=space_id).first()
    if membership is None:
        raise NotFound("There is no such space, or you are not a member of it.")
    session[SPACE_SESSION_KEY] = space_id
    User.objects.filter(pk=user.pk).update(last_space_id=space_id)
    return membership


def max_owned_spaces() -> int:
    """Return how many spaces one person may own; 0 means any number."""
    return int(getattr(settings, "ACCOUNTS_MAX_OWNED_SPACES", 10))


def _require_room(user: User) -> None:
    limit = max_owned_spaces()
    if limit and user.memberships.filter(role=Role.OWNER).count() >= limit:
        raise LimitReached(f"You own {limit} spaces, the most that one person may own here.")


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise Invalid("A space needs a name.")
    if len(name) > NAME_LENGTH:
        raise Invalid(f"A name has at most {NAME_LENGTH} characters, this one has {len(name)}.")
    return name
