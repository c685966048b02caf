"""Shares: who opens, changes, ends and lists them."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.constants import SharePermission
from accounts.grants import Share
from accounts.guests import guest_for
from accounts.models import AuditEvent, Organisation, Space
from accounts.organisations.received import received, received_all
from accounts.organisations.sharing import (
    end_share,
    end_share_in,
    share_row,
    shares_in,
    shares_of,
    sharing_places,
)
from core.errors import AccessDenied, Invalid, NotFound
from core.tenancy import space_scope
from knowledge.models import BaseShare, KnowledgeBase
from tests.accounts.organisations.worlds import add_space, make_organisation, share_base
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base
from tests.personas import Persona


@pytest.fixture
def organisation(space_a: Space, space_b: Space) -> Organisation:
    return make_organisation(space_a, editors=(space_b,))


@pytest.fixture
def base(cora: Persona) -> KnowledgeBase:
    return make_base(cora.space, name="Hangar", created_by=cora.user)


def share(persona: Persona, base: KnowledgeBase, organisation: Organisation, **terms) -> Share:
    with persona.scope():
        return share_row(
            persona.actor,
            kind="base",
            object_id=base.pk,
            organisation_id=organisation.pk,
            **terms,
        )


def sees(persona: Persona, base: KnowledgeBase) -> bool:
    return guest_for(persona.actor, kind="base", object_id=base.pk) is not None


@pytest.mark.parametrize("name", ["olivia", "adam", "cora"])
def test_creator_and_admins_share_a_base(
    request: pytest.FixtureRequest,
    name: str,
    mallory: Persona,
    base: KnowledgeBase,
    organisation: Organisation,
) -> None:
    persona: Persona = request.getfixturevalue(name)
    found = share(persona, base, organisation)
    assert (found.permission, found.shared_by) == (SharePermission.VIEWER, persona.user)
    assert sees(mallory, base)


def test_others_may_not_share_it(
    victor: Persona, mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    with pytest.raises(AccessDenied):
        share(victor, base, organisation)
    with pytest.raises(NotFound):
        share(mallory, base, organisation)


def test_a_guest_does_not_share_on(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation, permission=SharePermission.EDITOR)
    guest = guest_for(mallory.actor, kind="base", object_id=base.pk)
    assert guest is not None
    own = make_organisation(mallory.space)
    with mallory.scope(), pytest.raises(NotFound):
        share_row(guest, kind="base", object_id=base.pk, organisation_id=own.pk)


def test_a_space_that_is_a_viewer_in_the_organisation_shares_nothing(
    adam: Persona, base: KnowledgeBase, space_b: Space
) -> None:
    theirs = make_organisation(space_b)
    add_space(theirs, adam.space)
    with pytest.raises(AccessDenied):
        share(adam, base, theirs)
    assert sharing_places(adam.actor) == []


def test_an_organisation_of_others_does_not_exist(
    adam: Persona, base: KnowledgeBase, space_b: Space
) -> None:
    with pytest.raises(NotFound):
        share(adam, base, make_organisation(space_b))


def test_sharing_again_changes_the_share_and_says_from_what_to_what(
    adam: Persona, mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    first = share(adam, base, organisation)
    again = share(
        adam,
        base,
        organisation,
        permission=SharePermission.EDITOR,
        receiver_ids=[mallory.space.pk],
    )
    assert first.pk == again.pk
    with adam.scope():
        event = AuditEvent.objects.get(action="base.share_change")
    assert event.details["old"] == {"permission": "viewer", "receivers": None}
    assert event.details["new"] == {"permission": "editor", "receivers": ["Space B"]}


def test_the_same_share_again_is_no_event(
    adam: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share(adam, base, organisation)
    share(adam, base, organisation)
    with adam.scope():
        assert AuditEvent.objects.filter(action__startswith="base.share").count() == 1


@pytest.mark.parametrize("terms", [{"permission": "admin"}, {"receiver_ids": []}])
def test_terms_that_cannot_be_are_refused(
    adam: Persona, base: KnowledgeBase, organisation: Organisation, terms: dict[str, object]
) -> None:
    with pytest.raises(Invalid):
        share(adam, base, organisation, **terms)


def test_a_space_outside_of_the_organisation_cannot_be_chosen(
    adam: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    with pytest.raises(Invalid):
        share(adam, base, organisation, receiver_ids=[make_space("Outside").pk])


def test_an_ended_share_opens_nothing_from_the_next_question_on(
    cora: Persona, mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    found = share(cora, base, organisation)
    assert sees(mallory, base)
    with cora.scope():
        end_share(cora.actor, kind="base", share_id=found.pk)
        assert AuditEvent.objects.get(action="base.share_end").details["old"]
    assert not sees(mallory, base)


def test_who_may_neither_share_nor_shared_it_cannot_end_it(
    cora: Persona,
    victor: Persona,
    mallory: Persona,
    base: KnowledgeBase,
    organisation: Organisation,
) -> None:
    found = share(cora, base, organisation)
    with victor.scope(), pytest.raises(AccessDenied):
        end_share(victor.actor, kind="base", share_id=found.pk)
    with mallory.scope(), pytest.raises(NotFound):
        end_share(mallory.actor, kind="base", share_id=found.pk)
    with mallory.scope(), pytest.raises(AccessDenied):
        end_share_in(mallory.actor, organisation_id=organisation.pk, kind="base", share_id=found.pk)


def test_an_admin_of_the_organisation_ends_a_share_of_another_space(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    theirs = share_base(make_base(mallory.space, name="Tower"), organisation)
    with adam.scope():
        end_share_in(adam.actor, organisation_id=organisation.pk, kind="base", share_id=theirs.pk)
        assert AuditEvent.objects.get(action="base.share_end").details["name"] == "Tower"
    with mallory.scope():
        assert not BaseShare.objects.exists()
        event = AuditEvent.objects.get(action="base.share_end")
    assert (event.actor_name, event.details["from_space"]) == ("Adam", "Space A")


def test_a_share_of_another_organisation_is_not_ended_through_this_one(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    theirs = make_organisation(mallory.space)
    elsewhere = share_base(make_base(mallory.space), theirs)
    with adam.scope(), pytest.raises(NotFound):
        end_share_in(
            adam.actor, organisation_id=organisation.pk, kind="base", share_id=elsewhere.pk
        )


def test_only_who_may_share_a_base_reads_with_whom_it_is_shared(
    adam: Persona,
    victor: Persona,
    mallory: Persona,
    base: KnowledgeBase,
    organisation: Organisation,
) -> None:
    share_base(base, organisation, only=(mallory.space,))
    with adam.scope():
        (row,) = shares_of(adam.actor, kind="base", object_id=base.pk)
    assert (row.organisation, row.receivers) == ("Airfield", ("Space B",))
    with victor.scope(), pytest.raises(AccessDenied):
        shares_of(victor.actor, kind="base", object_id=base.pk)
    with mallory.scope(), pytest.raises(NotFound):
        shares_of(mallory.actor, kind="base", object_id=base.pk)


def test_a_space_reads_only_the_shares_that_reach_it(
    adam: Persona, mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    chosen = make_space("Chosen")
    add_space(organisation, chosen)
    share_base(base, organisation, only=(chosen,))
    with mallory.scope():
        assert shares_in(mallory.actor, organisation_id=organisation.pk) == []
    with adam.scope():
        assert len(shares_in(adam.actor, organisation_id=organisation.pk)) == 1


def test_what_is_shared_with_a_space_is_listed_once_with_the_right_that_is_left(
    mallory: Persona, adam: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    circle = make_organisation(base.space, name="Circle", editors=(mallory.space,))
    share_base(base, circle, permission=SharePermission.EDITOR)
    (row,) = received(mallory.actor, kind="base")
    assert (row.name, row.owner, row.permission) == ("Hangar", "Space A", SharePermission.EDITOR)
    assert row.organisations == ("Airfield", "Circle")
    assert received_all(mallory.actor) == [row]
    assert received(adam.actor, kind="base") == []


def test_a_removed_base_is_listed_and_open_to_nobody(
    mallory: Persona, base: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(base, organisation)
    base.deleted_at = timezone.now()
    with space_scope(base.space_id):
        base.save(update_fields=["deleted_at"])
    assert received(mallory.actor, kind="base") == []
    assert not sees(mallory, base)
