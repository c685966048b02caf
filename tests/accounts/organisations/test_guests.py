"""Who becomes a guest of which space, and what a guest may do there."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.access import Actor, may, visible
from accounts.constants import OrganisationRole, Role, SharePermission
from accounts.guests import guest_at, guest_for, guests_of, guests_through
from accounts.models import Organisation, OrganisationSpace, Space
from core.tenancy import space_scope
from knowledge.models import BaseShare, Document, KnowledgeBase
from tests.accounts.organisations.worlds import add_space, make_organisation, share_base
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona, make_persona

VIEWER, EDITOR = SharePermission.VIEWER, SharePermission.EDITOR


@pytest.fixture
def organisation(space_a: Space, space_b: Space) -> Organisation:
    found = make_organisation(space_a)
    add_space(found, space_b, role=OrganisationRole.EDITOR)
    return found


@pytest.fixture
def base(space_a: Space) -> KnowledgeBase:
    return make_base(space_a, name="Hangar")


def guest(persona: Persona, base: KnowledgeBase) -> Actor | None:
    return guest_for(persona.actor, kind="base", object_id=base.pk)


def permission_of(found: Actor | None) -> str | None:
    return next((each.permission for each in found.shared), None) if found else None


def test_nobody_is_a_guest_without_a_share(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    assert guest(mallory, base) is None


def test_a_guest_has_no_role_and_only_the_shared_row(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    other = make_base(base.space, name="Tower")
    share_base(base, organisation)
    found = guest(mallory, base)
    assert found is not None
    assert found.is_guest
    assert (found.role, found.space_id, found.home_space_id) == (
        None,
        base.space_id,
        mallory.space.pk,
    )
    with space_scope(base.space_id):
        assert may(found, "view", base)
        assert not may(found, "view", other)
        assert list(visible(found, "view", KnowledgeBase.objects.all())) == [base]


@pytest.mark.parametrize(
    ("share", "place", "role", "expected"),
    [
        (EDITOR, OrganisationRole.EDITOR, Role.CONTRIBUTOR, EDITOR),
        (EDITOR, OrganisationRole.ADMIN, Role.OWNER, EDITOR),
        (VIEWER, OrganisationRole.ADMIN, Role.OWNER, VIEWER),
        (EDITOR, OrganisationRole.VIEWER, Role.OWNER, VIEWER),
        (EDITOR, OrganisationRole.ADMIN, Role.VIEWER, VIEWER),
    ],
)
def test_the_right_is_the_least_of_share_place_and_own_role(
    space_a: Space, base: KnowledgeBase, share: str, place: str, role: Role, expected: str
) -> None:
    receiver = make_space("Receiver")
    organisation = make_organisation(space_a)
    add_space(organisation, receiver, role=place)
    share_base(base, organisation, permission=share)
    person = make_persona(receiver, name="Rita", role=role)
    assert permission_of(guest(person, base)) == expected


def test_the_widest_of_several_shares_counts(mallory: Persona, base: KnowledgeBase) -> None:
    for permission in (EDITOR, VIEWER):
        circle = make_organisation(base.space, editors=(mallory.space,))
        share_base(base, circle, permission=permission)
    assert permission_of(guest(mallory, base)) == EDITOR


def test_an_editor_edits_content_and_never_the_base_itself(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation, permission=EDITOR)
    document = make_document(base)
    found = guest(mallory, base)
    assert found is not None
    with space_scope(base.space_id):
        document = Document.objects.get(pk=document.pk)
        assert may(found, "edit", base)
        assert may(found, "change", document)
        assert may(found, "delete", document)
        assert not any(may(found, action, base) for action in ("change", "delete", "share"))


def test_only_chosen_spaces_get_what_is_shared_with_them(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    chosen = make_space("Chosen")
    add_space(organisation, chosen)
    share_base(base, organisation, only=(chosen,))
    assert guest(mallory, base) is None
    assert guest(make_persona(chosen, name="Chloe", role=Role.VIEWER), base) is not None


def test_a_share_whose_last_receiver_is_gone_is_open_to_nobody(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    chosen = make_space("Chosen")
    add_space(organisation, chosen)
    share = share_base(base, organisation, only=(chosen,))
    with space_scope(chosen.pk):
        chosen.delete()
    with space_scope(base.space_id):
        assert BaseShare.objects.filter(pk=share.pk).exists()
    assert guest(mallory, base) is None


def test_what_opens_nothing_opens_nothing_at_once(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share = share_base(base, organisation)
    places = OrganisationSpace.objects.filter(organisation=organisation)

    def closed_by(change, undo) -> bool:
        assert guest(mallory, base) is not None
        change()
        closed = guest(mallory, base) is None
        undo()
        return closed

    owner, receiver = places.filter(member=base.space), places.filter(member=mallory.space)
    assert closed_by(
        lambda: owner.update(role=OrganisationRole.VIEWER),
        lambda: owner.update(role=OrganisationRole.ADMIN),
    )
    assert closed_by(lambda: receiver.delete(), lambda: add_space(organisation, mallory.space))
    with space_scope(base.space_id):
        share.delete()
    assert guest(mallory, base) is None


def test_a_member_is_no_guest_of_their_own_space(
    cora: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    assert guest(cora, base) is None


@pytest.mark.parametrize("kind", ["api_key", "embed", "im_user", "system"])
def test_only_people_are_guests(
    kind, mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    actor = Actor(kind=kind, id="1", space_id=mallory.space.pk, role=Role.ADMIN)
    assert guest_for(actor, kind="base", object_id=base.pk) is None


def test_a_guest_is_not_passed_on(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    found = guest(mallory, base)
    assert found is not None
    assert guests_of(found, kind="base") == []


def test_documents_and_passages_lead_to_their_base(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    document = make_document(base, texts=["Check the flaps."])
    with space_scope(base.space_id):
        chunk_id: UUID = document.chunks.get().pk
    for argument, value in (("document_id", document.pk), ("chunk_id", chunk_id)):
        (found,) = guests_through(mallory.actor, argument=argument, values=[value])
        assert {each.object_id for each in found.shared} == {base.pk}
    other = make_document(make_base(base.space), name="other.txt")
    assert guests_through(mallory.actor, argument="document_id", values=[other.pk]) == []


def test_an_address_makes_a_guest_where_it_names_something_shared(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    path = reverse("base", args=[base.pk])
    assert guest_at(mallory.actor, path) is not None
    assert guest_at(mallory.actor, reverse("bases")) is None
    assert guest_at(mallory.actor, "/api" + path) is None
    assert guest_at(mallory.actor, "/nowhere/") is None


@pytest.mark.parametrize("circles", [1, 20])
def test_who_is_a_guest_is_one_query_whatever_the_number_of_shares(
    mallory: Persona,
    base: KnowledgeBase,
    circles: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(circles):
        share_base(base, make_organisation(base.space, editors=(mallory.space,)))
    actor = mallory.actor
    with django_assert_num_queries(1):
        assert guest_for(actor, kind="base", object_id=base.pk) is not None
    with django_assert_num_queries(1):
        assert len(guests_of(actor, kind="base")) == 1
