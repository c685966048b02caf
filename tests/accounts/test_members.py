"""Who changes and removes whom."""

from __future__ import annotations

import pytest

from accounts.constants import Role
from accounts.models import Invitation, Membership, User
from accounts.queries import members_of
from accounts.services.members import change_role, remove_member
from accounts.services.spaces import switch_space
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from tests.factories.accounts import make_invitation, make_member
from tests.personas import Persona

ROLES = {"olivia": Role.OWNER, "adam": Role.ADMIN, "cora": Role.CONTRIBUTOR, "victor": Role.VIEWER}
MAY_CHANGE = {
    ("olivia", "adam"),
    ("olivia", "cora"),
    ("olivia", "victor"),
    ("adam", "cora"),
    ("adam", "victor"),
}


@pytest.fixture
def people(olivia: Persona, adam: Persona, cora: Persona, victor: Persona) -> dict[str, Persona]:
    return {"olivia": olivia, "adam": adam, "cora": cora, "victor": victor}


@pytest.mark.parametrize("who", ROLES)
@pytest.mark.parametrize("whom", ROLES)
def test_members_are_managed_from_above(people: dict[str, Persona], who: str, whom: str) -> None:
    actor, membership = people[who].actor, people[whom].membership
    (row,) = [one for one in members_of(actor) if one.membership.pk == membership.pk]
    if (who, whom) in MAY_CHANGE:
        assert row.may_remove
        assert Role.VIEWER in row.roles
        change_role(actor, membership_id=membership.pk, role=Role.VIEWER)
        remove_member(actor, membership_id=membership.pk)
        assert not Membership.objects.filter(pk=membership.pk).exists()
        return
    assert not row.may_remove
    assert row.roles == ()
    expected = Conflict if who == whom == "olivia" else AccessDenied
    with pytest.raises(expected):
        change_role(actor, membership_id=membership.pk, role=Role.VIEWER)
    with pytest.raises(expected):
        remove_member(actor, membership_id=membership.pk)
    assert Membership.objects.get(pk=membership.pk).role == ROLES[whom]


@pytest.mark.parametrize("role", [Role.ADMIN, Role.OWNER])
def test_admins_give_only_roles_below_their_own(adam: Persona, cora: Persona, role: Role) -> None:
    with pytest.raises(AccessDenied, match="below your own"):
        change_role(adam.actor, membership_id=cora.membership.pk, role=role)


def test_an_owner_makes_a_second_owner_and_may_then_step_down(
    olivia: Persona, adam: Persona
) -> None:
    change_role(olivia.actor, membership_id=adam.membership.pk, role=Role.OWNER)
    change_role(olivia.actor, membership_id=olivia.membership.pk, role=Role.VIEWER)
    assert Membership.objects.get(pk=olivia.membership.pk).role == Role.VIEWER
    adam.membership.refresh_from_db()
    with pytest.raises(Conflict):
        change_role(adam.actor, membership_id=adam.membership.pk, role=Role.ADMIN)


def test_there_is_no_other_role(olivia: Persona, cora: Persona) -> None:
    with pytest.raises(Invalid, match="'king'"):
        change_role(olivia.actor, membership_id=cora.membership.pk, role="king")


def test_members_of_another_space_do_not_exist(olivia: Persona, mallory: Persona) -> None:
    for service in (
        lambda: change_role(mallory.actor, membership_id=olivia.membership.pk, role=Role.VIEWER),
        lambda: remove_member(mallory.actor, membership_id=olivia.membership.pk),
        lambda: remove_member(mallory.actor, membership_id=0),
    ):
        with pytest.raises(NotFound):
            service()
    assert [row.membership for row in members_of(mallory.actor)] == [mallory.membership]


def test_removal_clears_what_points_to_the_space(olivia: Persona, cora: Persona) -> None:
    switch_space(cora.user, space_id=cora.space.pk, session={})
    to_her = make_invitation(cora.space, email="Cora@example.org")
    by_her = make_invitation(cora.space, invited_by=cora.user)
    by_olivia = make_invitation(cora.space, invited_by=olivia.user)
    remove_member(olivia.actor, membership_id=cora.membership.pk)
    assert User.objects.get(pk=cora.user.pk).last_space_id is None
    is_open = {one.pk: one.is_open for one in Invitation.objects.all()}
    assert is_open == {to_her.pk: False, by_her.pk: False, by_olivia.pk: True}


def test_who_may_invite_less_loses_the_invitations_that_go_further(olivia: Persona) -> None:
    second = make_member(olivia.space, role=Role.OWNER)
    for role in (Role.ADMIN, Role.VIEWER):
        make_invitation(olivia.space, role=role, invited_by=second.user)
    change_role(olivia.actor, membership_id=second.pk, role=Role.ADMIN)
    assert [one.role for one in Invitation.objects.filter(revoked_at=None)] == [Role.VIEWER]
    change_role(olivia.actor, membership_id=second.pk, role=Role.CONTRIBUTOR)
    assert not Invitation.objects.filter(revoked_at=None).exists()


def test_members_are_listed_by_role_then_name(people: dict[str, Persona]) -> None:
    anna = make_member(people["olivia"].space, role=Role.VIEWER)
    User.objects.filter(pk=anna.user_id).update(name="anna")
    rows = members_of(people["victor"].actor)
    assert [str(row.membership.user) for row in rows] == [
        "Olivia",
        "Adam",
        "Cora",
        "anna",
        "Victor",
    ]
    assert [row.is_self for row in rows] == [False, False, False, False, True]
