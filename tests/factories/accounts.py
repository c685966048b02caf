"""People, spaces, memberships and invitations for tests."""

from __future__ import annotations

from itertools import count
from typing import Any

from accounts.constants import Role
from accounts.models import Invitation, Membership, Space, User

PASSWORD = "blue-lantern-42"
_numbers = count(1)


def make_user(email: str = "", *, name: str = "", password: str = PASSWORD, **fields: Any) -> User:
    """Make a person who can sign in with `PASSWORD`."""
    email = email or f"person{next(_numbers)}@example.org"
    return User.objects.create_user(email, password, name=name, **fields)


def make_space(name: str = "", **fields: Any) -> Space:
    """Make an empty space, without what a new space is seeded with."""
    return Space.objects.create(name=name or f"Space {next(_numbers)}", **fields)


def make_member(
    space: Space, *, role: str = Role.CONTRIBUTOR, user: User | None = None
) -> Membership:
    """Make somebody a member of the space."""
    return Membership.objects.create(space=space, user=user or make_user(), role=role)


def make_invitation(space: Space, *, role: str = Role.CONTRIBUTOR, **fields: Any) -> Invitation:
    """Make an open invitation."""
    return Invitation.objects.create(space=space, role=role, **fields)
