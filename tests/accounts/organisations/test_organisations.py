"""Organisations: who may make, manage, join and leave them, and that it is written down."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from accounts.constants import OrganisationRole, RequestState, Role
from accounts.models import AuditEvent, JoinRequest, Organisation, OrganisationSpace, Space
from accounts.organisations.founding import (
    CODE_DAYS,
    create_organisation,
    delete_organisation,
    renew_code,
    update_organisation,
)
from accounts.organisations.joining import (
    ask_for_role,
    decide_request,
    find_by_code,
    find_by_name,
    join_by_code,
    join_by_name,
    withdraw_request,
)
from accounts.organisations.membership import (
    find_spaces,
    invite_space,
    leave,
    set_role,
    take_out,
)
from accounts.organisations.places import get_place
from accounts.organisations.queries import list_organisations, organisation_page, own_requests
from core.errors import AccessDenied, Conflict, Gone, Invalid, LimitReached, NotFound
from core.tenancy import space_scope
from knowledge.models import BaseShare
from tests.accounts.organisations.worlds import add_space, make_organisation, share_base
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base
from tests.personas import Persona, make_persona


@pytest.fixture
def organisation(space_a: Space) -> Organisation:
    return make_organisation(space_a, require_approval=False)


def audited(space: Space) -> list[str]:
    with space_scope(space.pk):
        return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


def role_of(organisation: Organisation, space: Space) -> str | None:
    rows = OrganisationSpace.objects.filter(organisation=organisation, member=space)
    return rows.values_list("role", flat=True).first()


def test_an_admin_makes_an_organisation_that_the_space_owns(adam: Persona) -> None:
    with adam.scope():
        found = create_organisation(adam.actor, name="  Air   field ", description="Ours")
    assert (found.name, found.owner_space) == ("Air field", adam.space)
    assert role_of(found, adam.space) == OrganisationRole.ADMIN
    assert audited(adam.space) == ["organisation.create"]


@pytest.mark.parametrize("name", ["cora", "victor"])
def test_others_make_none_and_join_none(
    request: pytest.FixtureRequest, name: str, space_b: Space
) -> None:
    persona: Persona = request.getfixturevalue(name)
    there = make_organisation(space_b)
    with persona.scope():
        for use in (
            lambda: create_organisation(persona.actor, name="Mine"),
            lambda: join_by_code(persona.actor, code=there.invite_code),
            lambda: find_by_code(persona.actor, code=there.invite_code),
            lambda: find_by_name(persona.actor, text="Air"),
        ):
            with pytest.raises(AccessDenied):
                use()


@pytest.mark.parametrize("bad", ["", "  \x00 ", "x" * 256])
def test_a_name_is_needed_and_not_too_long(adam: Persona, bad: str) -> None:
    with adam.scope(), pytest.raises(Invalid):
        create_organisation(adam.actor, name=bad)


def test_members_see_it_and_only_admins_of_its_admin_spaces_manage_it(
    adam: Persona, victor: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space, role=OrganisationRole.EDITOR)
    assert get_place(victor.actor, organisation.pk).role == OrganisationRole.ADMIN
    assert get_place(adam.actor, organisation.pk, action="manage").member == adam.space
    for persona in (victor, mallory):
        with pytest.raises(AccessDenied):
            get_place(persona.actor, organisation.pk, action="manage")


def test_it_does_not_exist_for_spaces_outside(mallory: Persona, organisation: Organisation) -> None:
    with pytest.raises(NotFound):
        get_place(mallory.actor, organisation.pk)
    assert list_organisations(mallory.actor) == []


def test_a_change_is_audited_with_old_and_new(adam: Persona, organisation: Organisation) -> None:
    with adam.scope():
        update_organisation(
            adam.actor,
            organisation_id=organisation.pk,
            name="Airport",
            description="",
            require_approval=True,
            is_searchable=False,
        )
        event = AuditEvent.objects.get(action="organisation.change")
    assert event.details["changed"] == {
        "name": {"old": "Airfield", "new": "Airport"},
        "require_approval": {"old": False, "new": True},
    }


def test_a_space_joins_by_the_code_as_a_viewer_and_both_spaces_know(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    with mallory.scope():
        join_by_code(mallory.actor, code=organisation.invite_code.upper() + " ")
    assert role_of(organisation, mallory.space) == OrganisationRole.VIEWER
    assert audited(mallory.space) == audited(adam.space) == ["organisation.join"]
    with mallory.scope(), pytest.raises(Conflict):
        join_by_code(mallory.actor, code=organisation.invite_code)


@pytest.mark.parametrize("days", CODE_DAYS)
def test_a_renewed_code_is_valid_for_its_days_and_the_old_one_is_over(
    adam: Persona, mallory: Persona, organisation: Organisation, days: int
) -> None:
    old = organisation.invite_code
    with adam.scope():
        found = renew_code(adam.actor, organisation_id=organisation.pk, days=days)
    ends = found.invite_code_expires_at
    if days:
        assert ends is not None
        assert timedelta(0) < timezone.now() + timedelta(days=days) - ends < timedelta(minutes=1)
    else:
        assert ends is None
    with mallory.scope(), pytest.raises(Gone):
        join_by_code(mallory.actor, code=old)


def test_a_code_is_not_in_the_audit_log(adam: Persona, organisation: Organisation) -> None:
    with adam.scope():
        found = renew_code(adam.actor, organisation_id=organisation.pk, days=7)
        details = AuditEvent.objects.get(action="organisation.renew_code").details
    assert found.invite_code not in str(details)


def test_a_code_of_another_length_of_time_is_refused(
    adam: Persona, organisation: Organisation
) -> None:
    with adam.scope(), pytest.raises(Invalid, match="choose one of 0, 1, 7, 30"):
        renew_code(adam.actor, organisation_id=organisation.pk, days=365)


def test_an_expired_code_opens_nothing_by_code_or_by_name(
    mallory: Persona, organisation: Organisation
) -> None:
    organisation.is_searchable = True
    organisation.invite_code_expires_at = timezone.now() - timedelta(seconds=1)
    organisation.save()
    with mallory.scope():
        assert find_by_name(mallory.actor, text="air") == []
        with pytest.raises(Gone):
            join_by_code(mallory.actor, code=organisation.invite_code)
        with pytest.raises(Gone):
            join_by_name(mallory.actor, organisation_id=organisation.pk)
    assert role_of(organisation, mallory.space) is None


def test_only_searchable_ones_are_found_and_joined_by_name(
    mallory: Persona, organisation: Organisation
) -> None:
    with mallory.scope():
        assert find_by_name(mallory.actor, text="air") == []
        with pytest.raises(NotFound):
            join_by_name(mallory.actor, organisation_id=organisation.pk)
        Organisation.objects.update(is_searchable=True)
        assert find_by_name(mallory.actor, text=" ") == []
        assert find_by_name(mallory.actor, text="AIRF") == [organisation]
        join_by_name(mallory.actor, organisation_id=organisation.pk)
        assert find_by_name(mallory.actor, text="air") == []  # it is in it


@pytest.mark.parametrize("way", ["code", "name", "invite", "approve"])
def test_a_full_organisation_takes_nobody(
    adam: Persona, mallory: Persona, organisation: Organisation, way: str
) -> None:
    Organisation.objects.update(member_limit=1, is_searchable=True)
    with mallory.scope(), adam.scope():
        waiting = JoinRequest.objects.create(organisation=organisation, member=mallory.space)
        ways = {
            "code": lambda: join_by_code(mallory.actor, code=organisation.invite_code),
            "name": lambda: join_by_name(mallory.actor, organisation_id=organisation.pk),
            "invite": lambda: invite_space(
                adam.actor, organisation_id=organisation.pk, space_id=mallory.space.pk
            ),
            "approve": lambda: decide_request(adam.actor, request_id=waiting.pk, approve=True),
        }
        with pytest.raises(LimitReached):
            ways[way]()
    assert role_of(organisation, mallory.space) is None


def test_where_joining_needs_approval_an_admin_is_asked_and_decides(
    adam: Persona,
    mallory: Persona,
    organisation: Organisation,
    django_capture_on_commit_callbacks,
) -> None:
    Organisation.objects.update(require_approval=True)
    with django_capture_on_commit_callbacks(execute=True), mallory.scope():
        asked = join_by_code(mallory.actor, code=organisation.invite_code, message="Let us in")
    assert isinstance(asked, JoinRequest)
    assert role_of(organisation, mallory.space) is None
    assert [each.to for each in mail.outbox] == [[adam.user.email]]
    assert "Let us in" in mail.outbox[0].body
    assert own_requests(mallory.actor) == [asked]
    assert list(organisation_page(adam.actor, organisation.pk).requests) == [asked]
    with mallory.scope(), pytest.raises(Conflict):
        join_by_code(mallory.actor, code=organisation.invite_code)
    with adam.scope(), django_capture_on_commit_callbacks(execute=True):
        decide_request(adam.actor, request_id=asked.pk, approve=True)
    assert role_of(organisation, mallory.space) == OrganisationRole.VIEWER
    assert mail.outbox[-1].to == [mallory.user.email]
    assert audited(mallory.space)[-1] == audited(adam.space)[-1] == "organisation.request_approved"
    with adam.scope(), pytest.raises(NotFound):
        decide_request(adam.actor, request_id=asked.pk, approve=False)


def test_a_refused_space_stays_out_and_may_ask_again(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    Organisation.objects.update(require_approval=True)
    with mallory.scope():
        asked = join_by_code(mallory.actor, code=organisation.invite_code)
        assert isinstance(asked, JoinRequest)
    with adam.scope():
        decide_request(adam.actor, request_id=asked.pk, approve=False)
    assert role_of(organisation, mallory.space) is None
    with mallory.scope():
        again = join_by_code(mallory.actor, code=organisation.invite_code)
        assert isinstance(again, JoinRequest)
        withdraw_request(mallory.actor, request_id=again.pk)
        again.refresh_from_db()
    assert again.state == RequestState.WITHDRAWN


def test_a_request_is_only_for_its_space_and_its_organisation_to_touch(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    other = make_persona(make_space("Other"), name="Otto", role=Role.OWNER)
    waiting = JoinRequest.objects.create(organisation=organisation, member=mallory.space)
    with other.scope():
        with pytest.raises(NotFound):
            withdraw_request(other.actor, request_id=waiting.pk)
        with pytest.raises(NotFound):
            decide_request(other.actor, request_id=waiting.pk, approve=True)
    with mallory.scope(), pytest.raises(NotFound):
        decide_request(mallory.actor, request_id=waiting.pk, approve=True)


def test_a_space_asks_for_a_higher_role_and_gets_it_by_approval(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space)
    with mallory.scope():
        with pytest.raises(Invalid):
            ask_for_role(mallory.actor, organisation_id=organisation.pk, role="viewer")
        asked = ask_for_role(mallory.actor, organisation_id=organisation.pk, role="editor")
    with adam.scope():
        decide_request(adam.actor, request_id=asked.pk, approve=True)
    assert role_of(organisation, mallory.space) == OrganisationRole.EDITOR


def test_spaces_are_found_by_name_for_admins_with_nothing_but_their_names(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    for number in range(60):
        make_space(f"Depot {number:02}")
    found = find_spaces(adam.actor, organisation_id=organisation.pk, text="depot")
    assert len(found) == 50
    assert vars(found[0]).keys() == {"id", "name"}
    assert find_spaces(adam.actor, organisation_id=organisation.pk, text="") == []
    add_space(organisation, mallory.space)
    assert find_spaces(adam.actor, organisation_id=organisation.pk, text="Space B") == []
    with pytest.raises(AccessDenied):
        find_spaces(mallory.actor, organisation_id=organisation.pk, text="depot")


def test_an_invited_space_is_told_and_may_leave(
    adam: Persona,
    mallory: Persona,
    organisation: Organisation,
    django_capture_on_commit_callbacks,
) -> None:
    with adam.scope(), django_capture_on_commit_callbacks(execute=True):
        invite_space(
            adam.actor,
            organisation_id=organisation.pk,
            space_id=mallory.space.pk,
            role=OrganisationRole.EDITOR,
        )
    assert mail.outbox[0].to == [mallory.user.email]
    assert audited(mallory.space) == ["organisation.invite"]
    with mallory.scope():
        leave(mallory.actor, organisation_id=organisation.pk)
    assert role_of(organisation, mallory.space) is None
    assert audited(adam.space)[-1] == "organisation.leave"


def test_a_role_is_changed_with_old_and_new_in_both_logs(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space)
    with adam.scope():
        set_role(
            adam.actor, organisation_id=organisation.pk, space_id=mallory.space.pk, role="editor"
        )
        with pytest.raises(Invalid):
            set_role(
                adam.actor, organisation_id=organisation.pk, space_id=mallory.space.pk, role="owner"
            )
    with mallory.scope():
        details = AuditEvent.objects.get(action="organisation.role").details
    assert (details["old"], details["new"], details["from_space"]) == (
        "viewer",
        "editor",
        "Space A",
    )


def test_the_owner_space_stays_and_stays_admin(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space, role=OrganisationRole.ADMIN)
    with mallory.scope():
        with pytest.raises(Conflict):
            take_out(mallory.actor, organisation_id=organisation.pk, space_id=adam.space.pk)
        with pytest.raises(Conflict):
            set_role(
                mallory.actor,
                organisation_id=organisation.pk,
                space_id=adam.space.pk,
                role="viewer",
            )
        with pytest.raises(AccessDenied):
            delete_organisation(mallory.actor, organisation_id=organisation.pk)
    with adam.scope(), pytest.raises(Conflict):
        leave(adam.actor, organisation_id=organisation.pk)


def test_who_is_taken_out_takes_its_shares_along_and_loses_those_of_others(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space, role=OrganisationRole.EDITOR)
    theirs = share_base(make_base(mallory.space), organisation)
    ours = share_base(make_base(adam.space), organisation, only=(mallory.space,))
    with adam.scope():
        take_out(adam.actor, organisation_id=organisation.pk, space_id=mallory.space.pk)
        assert list(BaseShare.objects.all()) == [ours]
        assert list(ours.receivers.all()) == []
    with mallory.scope():
        assert not BaseShare.objects.filter(pk=theirs.pk).exists()
        event = AuditEvent.objects.get(action="organisation.remove")
    assert event.details["shares_closed"] == 1


def test_a_deleted_organisation_takes_all_its_shares_along(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space, role=OrganisationRole.EDITOR)
    bases = [make_base(space) for space in (adam.space, mallory.space)]
    for base in bases:
        share_base(base, organisation)
    with adam.scope():
        delete_organisation(adam.actor, organisation_id=organisation.pk)
    assert not Organisation.objects.filter(pk=organisation.pk).exists()
    for base in bases:
        with space_scope(base.space_id):
            assert not BaseShare.objects.exists()
    assert audited(mallory.space) == ["organisation.delete"]


def test_a_deleted_space_takes_its_organisations_along_but_not_others(
    adam: Persona, mallory: Persona, organisation: Organisation
) -> None:
    add_space(organisation, mallory.space, role=OrganisationRole.EDITOR)
    theirs = make_organisation(mallory.space, editors=(adam.space,))
    kept = share_base(make_base(adam.space), organisation)
    share_base(make_base(adam.space), theirs)
    with mallory.scope():
        mallory.space.delete()
    with adam.scope():
        assert list(BaseShare.objects.all()) == [kept]
    assert list(Organisation.objects.all()) == [organisation]
