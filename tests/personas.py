"""The people of the tests. Space A: olivia owns, adam administers, cora contributes, victor views.

Space B: mallory owns it and has no business in A. The stranger is not signed in.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property

import pytest
from django.test import Client

from accounts.access import Actor
from accounts.actors import actor_by
from accounts.constants import Role
from accounts.models import Membership, Space, User
from core.tenancy import space_scope
from tests.factories.accounts import make_member, make_space, make_user

LOGIN_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
MEMBERS = ("olivia", "adam", "cora", "victor")
"""The members of space A, highest role first."""


@dataclass
class Persona:
    """A person with a role in a space."""

    membership: Membership

    @property
    def user(self) -> User:
        """The person."""
        return self.membership.user

    @property
    def space(self) -> Space:
        """Where they work."""
        return self.membership.space

    @property
    def actor(self) -> Actor:
        """Who they are for services and queries."""
        return actor_by(self.membership)

    @cached_property
    def client(self) -> Client:
        """A browser in which they are signed in."""
        client = Client()
        client.force_login(self.user, backend=LOGIN_BACKEND)
        return client

    def scope(self) -> AbstractContextManager[None]:
        """Open their space, as their request would."""
        return space_scope(self.space.pk)


def make_persona(space: Space, *, name: str, role: Role) -> Persona:
    """Make a person of the space called `name`."""
    user = make_user(f"{name.lower()}@example.org", name=name)
    return Persona(membership=make_member(space, role=role, user=user))


@pytest.fixture
def space_a(db: None) -> Space:
    """The space of olivia, adam, cora and victor."""
    return make_space("Space A")


@pytest.fixture
def space_b(db: None) -> Space:
    """The space of mallory."""
    return make_space("Space B")


@pytest.fixture
def olivia(space_a: Space) -> Persona:
    """The owner of space A."""
    return make_persona(space_a, name="Olivia", role=Role.OWNER)


@pytest.fixture
def adam(space_a: Space) -> Persona:
    """An admin of space A."""
    return make_persona(space_a, name="Adam", role=Role.ADMIN)


@pytest.fixture
def cora(space_a: Space) -> Persona:
    """A contributor of space A."""
    return make_persona(space_a, name="Cora", role=Role.CONTRIBUTOR)


@pytest.fixture
def victor(space_a: Space) -> Persona:
    """A viewer of space A."""
    return make_persona(space_a, name="Victor", role=Role.VIEWER)


@pytest.fixture
def mallory(space_b: Space) -> Persona:
    """The owner of space B, a stranger to space A."""
    return make_persona(space_b, name="Mallory", role=Role.OWNER)


@pytest.fixture
def stranger(db: None) -> Client:
    """A browser in which nobody is signed in."""
    return Client()
