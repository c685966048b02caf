"""Groups of members: who makes them, who can be in them, what they are for."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group

from accounts.constants import MembershipState
from accounts.models import AuditEvent, Membership, SpaceGroup, User
from accounts.services.groups import (
    add_to_group,
    change_group,
    create_group,
    delete_group,
    get_group,
    list_groups,
    people_and_groups,
    people_in,
    people_outside,
    take_from_group,
)
from accounts.services.members import leave_space, remove_member
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from knowledge.access.restrict import Place, restrict
from knowledge.queries import list_documents
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture
def pilots(olivia: Persona, cora: Persona) -> SpaceGroup:
    with olivia.scope():
        group = create_group(olivia.actor, name="Pilots", description="They fly.")
        add_to_group(olivia.actor, group_id=group.pk, user_ids=[cora.user.pk])
    return group


def test_admins_make_groups_and_others_see_them(
    adam: Persona, cora: Persona, victor: Persona
) -> None:
    with adam.scope():
        group = create_group(adam.actor, name="  Ground   crew ")
        assert (group.name, group.created_by) == ("Ground crew", adam.user)
        for persona in (cora, victor):
            assert [row.group for row in list_groups(persona.actor)] == [group]
            for refused in (
                lambda actor: create_group(actor, name="Mine"),
                lambda actor: change_group(actor, group_id=group.pk, name="x", description=""),
                lambda actor: add_to_group(actor, group_id=group.pk, user_ids=[1]),
                lambda actor: take_from_group(actor, group_id=group.pk, user_id=1),
                lambda actor: delete_group(actor, group_id=group.pk),
            ):
                with pytest.raises(AccessDenied):
                    refused(persona.actor)


def test_groups_of_another_space_do_not_exist(mallory: Persona, pilots: SpaceGroup) -> None:
    with mallory.scope():
        assert list_groups(mallory.actor) == []
        for missing in (
            lambda: get_group(mallory.actor, pilots.pk),
            lambda: add_to_group(mallory.actor, group_id=pilots.pk, user_ids=[mallory.user.pk]),
            lambda: delete_group(mallory.actor, group_id=pilots.pk),
        ):
            with pytest.raises(NotFound):
                missing()


def test_names_are_taken_once_a_space(
    olivia: Persona, mallory: Persona, pilots: SpaceGroup
) -> None:
    with olivia.scope():
        other = create_group(olivia.actor, name="Others")
        for taken in (
            lambda: create_group(olivia.actor, name="Pilots"),
            lambda: change_group(olivia.actor, group_id=other.pk, name="Pilots", description=""),
        ):
            with pytest.raises(Conflict):
                taken()
        for name in ("", "  ", "x" * 121):
            with pytest.raises(Invalid):
                create_group(olivia.actor, name=name)
    with mallory.scope():
        create_group(mallory.actor, name="Pilots")


def test_only_active_members_get_into_a_group(
    olivia: Persona, victor: Persona, mallory: Persona, pilots: SpaceGroup
) -> None:
    Membership.objects.filter(pk=victor.membership.pk).update(state=MembershipState.SUSPENDED)
    with olivia.scope():
        for user_ids in ([mallory.user.pk], [victor.user.pk], [0], []):
            with pytest.raises(Invalid):
                add_to_group(olivia.actor, group_id=pilots.pk, user_ids=user_ids)
        assert victor.user not in people_outside(olivia.actor, pilots)


def test_putting_in_and_taking_out(olivia: Persona, cora: Persona, pilots: SpaceGroup) -> None:
    with olivia.scope():
        assert people_in(pilots) == [cora.user]
        assert add_to_group(olivia.actor, group_id=pilots.pk, user_ids=[cora.user.pk]) == []
        take_from_group(olivia.actor, group_id=pilots.pk, user_id=cora.user.pk)
        assert people_in(pilots) == []
        with pytest.raises(NotFound):
            take_from_group(olivia.actor, group_id=pilots.pk, user_id=cora.user.pk)
        actions = list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["group.create", "group.add", "group.remove"]


@pytest.mark.parametrize("by", ["leaving", "removal"])
def test_who_leaves_the_space_leaves_its_groups(
    olivia: Persona, cora: Persona, mallory: Persona, pilots: SpaceGroup, by: str
) -> None:
    Membership.objects.create(space=mallory.space, user=cora.user)
    with mallory.scope():
        theirs = create_group(mallory.actor, name="Club")
        add_to_group(mallory.actor, group_id=theirs.pk, user_ids=[cora.user.pk])
    if by == "leaving":
        leave_space(cora.user, space_id=cora.space.pk)
    else:
        remove_member(olivia.actor, membership_id=cora.membership.pk)
    assert list(cora.user.groups.all()) == [theirs.auth_group]


def test_a_group_opens_what_is_restricted_to_it_until_it_goes(
    olivia: Persona, cora: Persona, pilots: SpaceGroup, victor: Persona
) -> None:
    base = make_base(olivia.space, created_by=olivia.user)
    document = make_document(base, name="secret.txt", texts=["Flaps."])
    place = Place(base_id=base.pk, document_id=document.pk)

    def readers() -> list[bool]:
        return [list_documents(p.actor, base.pk).exists() for p in (cora, victor)]

    with olivia.scope():
        restrict(olivia.actor, place, user_ids=[], group_ids=[pilots.pk])
        assert readers() == [True, False]
        take_from_group(olivia.actor, group_id=pilots.pk, user_id=cora.user.pk)
        assert readers() == [False, False]
        add_to_group(olivia.actor, group_id=pilots.pk, user_ids=[cora.user.pk])
        delete_group(olivia.actor, group_id=pilots.pk)
        assert readers() == [False, False]
    assert not Group.objects.filter(pk=pilots.auth_group_id).exists()
    assert User.objects.filter(pk=cora.user.pk).exists()


def test_the_picker_finds_groups_and_members(
    olivia: Persona, cora: Persona, mallory: Persona, pilots: SpaceGroup
) -> None:
    with olivia.scope():
        found = people_and_groups(olivia.actor, "o")
        assert [(each.kind, each.label) for each in found] == [
            ("group", "Pilots"),
            ("user", "Cora"),
            ("user", "Olivia"),
        ]
        assert [each.value for each in people_and_groups(olivia.actor, "pilot")] == [
            f"group:{pilots.pk}"
        ]
        assert people_and_groups(olivia.actor, "mallory") == []


def test_many_groups_cost_no_more_queries(
    olivia: Persona, pilots: SpaceGroup, django_assert_num_queries: Any
) -> None:
    with olivia.scope():
        for number in range(5):
            create_group(olivia.actor, name=f"Group {number}")
        with django_assert_num_queries(1):
            assert [row.member_count for row in list_groups(olivia.actor)] == [0] * 5 + [1]
