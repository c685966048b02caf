"""Making, renaming, entering and leaving spaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.dispatch import Signal

from accounts.constants import MembershipState, Role
from accounts.models import Membership, Space, User
from accounts.queries import spaces_of
from accounts.services.members import leave_space
from accounts.services.spaces import create_space, rename_space, switch_space
from accounts.signals import membership_ended, space_created
from core.errors import AccessDenied, Conflict, Invalid, LimitReached, NotFound
from core.tenancy import current_space_id
from tests.factories.accounts import make_member, make_space, make_user
from tests.personas import Persona


@pytest.fixture
def heard() -> Iterator[list[dict[str, Any]]]:
    """What the signals of spaces said."""
    found: list[dict[str, Any]] = []

    def listen(signal: Signal, **facts: Any) -> None:
        found.append({**facts, "scope": current_space_id()})

    for signal in (space_created, membership_ended):
        signal.connect(listen)
    yield found
    for signal in (space_created, membership_ended):
        signal.disconnect(listen)


def test_who_makes_a_space_owns_it(db: None, heard: list[dict[str, Any]]) -> None:
    user = make_user()
    space = create_space(user, name="  Line   maintenance ", description=" Wings ")
    assert (space.name, space.description, space.created_by) == ("Line maintenance", "Wings", user)
    assert Membership.objects.get(space=space, user=user).role == Role.OWNER
    assert [(one["space"], one["creator"], one["scope"]) for one in heard] == [
        (space, user, space.pk)
    ]


def test_a_listener_that_fails_undoes_the_space(db: None) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("no models")

    space_created.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            create_space(make_user(), name="Half a space")
    finally:
        space_created.disconnect(fail)
    assert not Space.objects.filter(name="Half a space").exists()


def test_a_viewer_elsewhere_may_make_a_space_of_their_own(victor: Persona) -> None:
    with victor.scope():
        space = create_space(victor.user, name="Mine")
    assert Membership.objects.get(space=space).user == victor.user


@pytest.mark.parametrize("name", ["", "   ", "x" * 201], ids=["empty", "blank", "too long"])
def test_a_space_needs_a_usable_name(db: None, olivia: Persona, name: str) -> None:
    with pytest.raises(Invalid):
        create_space(olivia.user, name=name)
    with pytest.raises(Invalid):
        rename_space(olivia.actor, name=name, description="")


def test_one_person_owns_a_limited_number_of_spaces(db: None, settings: Any) -> None:
    settings.ACCOUNTS_MAX_OWNED_SPACES = 1
    user = make_user()
    make_member(make_space(), role=Role.ADMIN, user=user)  # does not count: not owned
    create_space(user, name="First")
    with pytest.raises(LimitReached):
        create_space(user, name="Second")
    settings.ACCOUNTS_MAX_OWNED_SPACES = 0
    create_space(user, name="Second")


def test_admins_rename_their_space(adam: Persona) -> None:
    rename_space(adam.actor, name="Hangar 3", description="West")
    adam.space.refresh_from_db()
    assert (adam.space.name, adam.space.description) == ("Hangar 3", "West")


@pytest.mark.parametrize("name", ["cora", "victor"])
def test_others_do_not_rename_it(request: pytest.FixtureRequest, name: str) -> None:
    persona: Persona = request.getfixturevalue(name)
    with pytest.raises(AccessDenied):
        rename_space(persona.actor, name="Hangar 3", description="")


def test_switching_is_remembered_for_this_session_and_the_next(olivia: Persona) -> None:
    other = make_space()
    make_member(other, user=olivia.user)
    session: dict[str, Any] = {}
    switch_space(olivia.user, space_id=other.pk, session=session)
    assert session == {"space_id": other.pk}
    assert User.objects.get(pk=olivia.user.pk).last_space_id == other.pk


def test_nobody_switches_to_a_space_they_are_not_in(olivia: Persona, mallory: Persona) -> None:
    session: dict[str, Any] = {}
    for space_id in (mallory.space.pk, 1):
        with pytest.raises(NotFound):
            switch_space(olivia.user, space_id=space_id, session=session)
    Membership.objects.filter(user=olivia.user).update(state=MembershipState.SUSPENDED)
    with pytest.raises(NotFound):
        switch_space(olivia.user, space_id=olivia.space.pk, session=session)
    assert session == {}


def test_leaving_clears_the_pointer_and_is_announced(
    cora: Persona, heard: list[dict[str, Any]], django_capture_on_commit_callbacks: Any
) -> None:
    switch_space(cora.user, space_id=cora.space.pk, session={})
    with django_capture_on_commit_callbacks(execute=True):
        leave_space(cora.user, space_id=cora.space.pk)
    assert not Membership.objects.filter(user=cora.user).exists()
    assert User.objects.get(pk=cora.user.pk).last_space_id is None
    (fact,) = heard
    assert (fact["space_id"], fact["user_id"]) == (cora.space.pk, cora.user.pk)


def test_the_only_owner_cannot_leave(olivia: Persona, adam: Persona) -> None:
    with pytest.raises(Conflict, match="only owner"):
        leave_space(olivia.user, space_id=olivia.space.pk)
    suspended = make_member(olivia.space, role=Role.OWNER)
    Membership.objects.filter(pk=suspended.pk).update(state=MembershipState.SUSPENDED)
    switched_off = make_member(olivia.space, role=Role.OWNER)
    User.objects.filter(pk=switched_off.user_id).update(is_active=False)
    with pytest.raises(Conflict):
        leave_space(olivia.user, space_id=olivia.space.pk)
    make_member(olivia.space, role=Role.OWNER)
    leave_space(olivia.user, space_id=olivia.space.pk)


def test_nobody_leaves_a_space_they_are_not_in(olivia: Persona, mallory: Persona) -> None:
    with pytest.raises(NotFound):
        leave_space(mallory.user, space_id=olivia.space.pk)


def test_the_list_counts_active_members_and_marks_the_current_space(
    olivia: Persona, adam: Persona, victor: Persona, mallory: Persona
) -> None:
    Membership.objects.filter(pk=victor.membership.pk).update(state=MembershipState.SUSPENDED)
    make_member(mallory.space, role=Role.VIEWER, user=olivia.user)
    rows = spaces_of(olivia.user, current_space_id=mallory.space.pk)
    assert [(row.space, str(row.role), row.member_count, row.is_current) for row in rows] == [
        (olivia.space, "Owner", 2, False),
        (mallory.space, "Viewer", 2, True),
    ]
    assert [row.may_leave for row in rows] == [False, True]
    make_member(olivia.space, role=Role.OWNER)
    assert spaces_of(olivia.user, current_space_id=None)[0].may_leave
