"""The pages of members, invitations, groups and rules, as browsers use them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.urls import reverse

from accounts.constants import MembershipState, Role
from accounts.jobs import MAIL_INVITATIONS
from accounts.models import AuditEvent, Invitation, Membership, Space, SpaceGroup, User
from accounts.services.bulk_invitations import addresses_in, mail_many
from accounts.services.groups import add_to_group, create_group
from accounts.services.inbox import waiting_for
from accounts.services.invitations import accept_invitation
from accounts.signals import membership_ended, membership_paused
from core.errors import Gone
from core.models import BackgroundJob
from tests.factories.accounts import make_invitation, make_member, make_space, make_user
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def page(persona: Persona, name: str, *args: Any) -> str:
    response = persona.client.get(reverse(name, args=args))
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def post(persona: Persona, address: str, /, *args: Any, **data: Any) -> int:
    return int(persona.client.post(reverse(address, args=args), data).status_code)


def actions(persona: Persona) -> list[str]:
    with persona.scope():
        return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


def test_a_suspended_member_is_out_until_let_in(
    olivia: Persona, cora: Persona, django_capture_on_commit_callbacks: Any
) -> None:
    heard: list[int] = []

    def hear(user_id: int, **_: Any) -> None:
        heard.append(user_id)

    membership_paused.connect(hear)
    with django_capture_on_commit_callbacks(execute=True):
        assert post(olivia, "member_suspend", cora.membership.pk) == 302
    membership_paused.disconnect(hear)
    assert heard == [cora.user.pk]
    assert cora.client.get(reverse("bases")).headers["Location"] == reverse("spaces")
    assert [each.subject for each in mail.outbox] == ["You are suspended in Space A"]
    assert "Let in again" in page(olivia, "members")
    assert post(olivia, "member_let_in", cora.membership.pk) == 302
    assert cora.client.get(reverse("bases")).status_code == 200
    assert actions(olivia) == ["member.suspend", "member.let_in"]


@pytest.mark.parametrize(("who", "whom"), [("adam", "olivia"), ("cora", "victor")])
def test_nobody_suspends_upwards(request: pytest.FixtureRequest, who: str, whom: str) -> None:
    actor, target = request.getfixturevalue(who), request.getfixturevalue(whom)
    assert post(actor, "member_suspend", target.membership.pk) == 403
    assert Membership.objects.get(pk=target.membership.pk).state == MembershipState.ACTIVE


def test_the_only_owner_suspends_and_removes_nobody_less_than_themselves(olivia: Persona) -> None:
    assert post(olivia, "member_suspend", olivia.membership.pk) == 409
    assert post(olivia, "member_remove", olivia.membership.pk) == 409


def test_a_space_changes_hands(olivia: Persona, adam: Persona, cora: Persona) -> None:
    assert post(adam, "member_hand_over", cora.membership.pk) == 403
    assert post(olivia, "member_hand_over", olivia.membership.pk) == 409
    assert post(olivia, "member_hand_over", cora.membership.pk) == 302
    roles = dict(Membership.objects.filter(space=olivia.space).values_list("user__name", "role"))
    assert roles == {"Olivia": Role.ADMIN, "Adam": Role.ADMIN, "Cora": Role.OWNER}
    assert post(olivia, "member_hand_over", adam.membership.pk) == 403
    with cora.scope():
        changes = AuditEvent.objects.filter(action="member.role").order_by("pk")
        assert [(each.details["person"], each.details["new"]) for each in changes] == [
            ("Cora", "owner"),
            ("Olivia", "admin"),
        ]


def test_a_suspended_member_is_given_no_space(olivia: Persona, cora: Persona) -> None:
    Membership.objects.filter(pk=cora.membership.pk).update(state=MembershipState.SUSPENDED)
    assert post(olivia, "member_hand_over", cora.membership.pk) == 409


def test_a_removed_member_is_told_and_everything_that_pointed_there_ends(
    olivia: Persona, cora: Persona, django_capture_on_commit_callbacks: Any
) -> None:
    heard: list[int] = []

    def hear(user_id: int, **_: Any) -> None:
        heard.append(user_id)

    membership_ended.connect(hear)
    with django_capture_on_commit_callbacks(execute=True):
        assert post(olivia, "member_remove", cora.membership.pk) == 302
    membership_ended.disconnect(hear)
    assert heard == [cora.user.pk]
    assert [each.to for each in mail.outbox] == [[cora.user.email]]
    assert User.objects.get(pk=cora.user.pk).last_space_id is None
    with olivia.scope():
        event = AuditEvent.objects.get(action="member.remove")
    assert event.details == {"person": "Cora", "person_id": cora.user.pk, "role": "contributor"}


def test_admins_see_when_members_were_seen_and_others_do_not(
    olivia: Persona, victor: Persona
) -> None:
    page(victor, "bases")
    assert "ago" in page(olivia, "members")
    assert "ago" not in page(victor, "members")


def test_members_show_their_groups(olivia: Persona, victor: Persona) -> None:
    with olivia.scope():
        group = create_group(olivia.actor, name="Night shift")
        add_to_group(olivia.actor, group_id=group.pk, user_ids=[victor.user.pk])
    assert "Night shift" in page(victor, "members")


def test_a_link_is_for_as_many_as_were_said(olivia: Persona) -> None:
    assert post(olivia, "invitations", role="viewer", days="1", max_accepts="2") == 302
    invitation = Invitation.objects.get()
    for _ in range(2):
        accept_invitation(make_user(), token=invitation.token)
    with pytest.raises(Gone):
        accept_invitation(make_user(), token=invitation.token)
    assert invitation.token not in page(olivia, "members")


@pytest.mark.parametrize("data", [{"days": "365"}, {"max_accepts": "0"}, {"role": "owner"}])
def test_links_have_bounds(olivia: Persona, data: dict[str, str]) -> None:
    assert post(olivia, "invitations", **{"role": "viewer", **data}) == 422
    assert not Invitation.objects.exists()


def test_the_inbox_accepts_and_declines(olivia: Persona, mallory: Persona) -> None:
    first = make_invitation(olivia.space, email=mallory.user.email, invited_by=olivia.user)
    assert "Space A" in page(mallory, "own_invitations")
    assert "1 invitation waits for you" in page(mallory, "spaces")
    assert post(mallory, "own_invitation_decline", first.pk) == 302
    assert post(mallory, "own_invitation_accept", first.pk) == 404
    second = make_invitation(olivia.space, email=mallory.user.email.upper(), role=Role.VIEWER)
    assert post(mallory, "own_invitation_accept", second.pk) == 302
    assert Membership.objects.get(space=olivia.space, user=mallory.user).role == Role.VIEWER
    assert actions(olivia) == ["invitation.decline", "invitation.accept"]


def test_an_invitation_to_somebody_else_is_in_nobodys_inbox(
    olivia: Persona, mallory: Persona, cora: Persona
) -> None:
    invitation = make_invitation(olivia.space, email="neo@example.org")
    for name in ("own_invitation_accept", "own_invitation_decline"):
        assert post(mallory, name, invitation.pk) == 404
    assert not waiting_for(cora.user).exists()


def test_an_address_that_was_never_confirmed_opens_no_inbox(
    olivia: Persona, mallory: Persona
) -> None:
    """Anybody can sign up with the address of somebody who is going to be invited."""
    address = EmailAddress.objects.create(
        user=mallory.user, email=mallory.user.email, primary=True, verified=False
    )
    Space.objects.filter(pk=olivia.space.pk).update(auto_accept_invitations=True)
    assert post(olivia, "invitations", role="viewer", email=mallory.user.email) == 302
    invitation = Invitation.objects.get()
    assert "Space A" not in page(mallory, "own_invitations")
    assert post(mallory, "own_invitation_accept", invitation.pk) == 404
    address.verified = True
    address.save()
    assert post(mallory, "own_invitation_accept", invitation.pk) == 302


def test_with_the_rule_people_with_an_account_join_at_once(
    olivia: Persona, mallory: Persona, django_capture_on_commit_callbacks: Any
) -> None:
    assert post(olivia, "space_rules", auto_accept="on", language="", audit_days="") == 302
    with django_capture_on_commit_callbacks(execute=True):
        assert post(olivia, "invitations", role="viewer", email=mallory.user.email) == 302
    assert Membership.objects.get(space=olivia.space, user=mallory.user).role == Role.VIEWER
    assert [each.subject for each in mail.outbox] == ["You are now a member of Space A"]
    assert post(olivia, "invitations", role="viewer", email="neo@example.org") == 302
    assert mail.outbox[-1].subject == "Invitation to Space A"


def test_an_invitation_is_sent_again(olivia: Persona, victor: Persona) -> None:
    assert post(olivia, "invitations", role="viewer", email="neo@example.org") == 302
    invitation = Invitation.objects.get()
    assert post(victor, "invitation_resend", invitation.pk) == 404
    assert post(olivia, "invitation_resend", invitation.pk) == 302
    assert [each.to for each in mail.outbox] == [["neo@example.org"]] * 2
    assert post(olivia, "invitation_revoke", invitation.pk) == 302
    assert post(olivia, "invitation_resend", invitation.pk) == 410


def test_many_are_invited_and_mailed_by_a_job(olivia: Persona, cora: Persona) -> None:
    text = (
        f"Neo <neo@example.org>, trinity@example.org\nneo@example.org; nonsense {cora.user.email}"
    )
    response = olivia.client.post(
        reverse("invitations_many"), {"addresses": text, "role": "viewer", "days": "7"}
    )
    shown = response.content.decode()
    assert shown.count("neo@example.org") == 1
    assert "Not an e-mail address" in shown
    assert "Already a member" in shown
    job = BackgroundJob.objects.get(name=MAIL_INVITATIONS.name)
    tokens = list(Invitation.objects.values_list("token", flat=True))
    assert len(tokens) == 2
    assert not any(token in str(job.arguments) for token in tokens)
    assert mail_many(job.arguments["invitation_ids"], origin=job.arguments["origin"]) == 2
    assert {each.to[0] for each in mail.outbox} == {"neo@example.org", "trinity@example.org"}


def test_too_many_or_no_addresses_are_refused(olivia: Persona) -> None:
    for text in (" ; ,", " ".join(f"p{number}@example.org" for number in range(201))):
        assert post(olivia, "invitations_many", addresses=text, role="viewer", days="7") == 422
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a@x.org,b@x.org", ["a@x.org", "b@x.org"]),
        ('"Neo, T." <N@x.org>', ['"neo', "n@x.org"]),
        ("a@x.org\r\nb@x.org  c@x.org\t", ["a@x.org", "b@x.org", "c@x.org"]),
        ("", []),
    ],
)
def test_addresses_are_found_in_what_was_pasted(text: str, found: list[str]) -> None:
    assert list(addresses_in(text)) == found


def test_only_owners_say_how_long_the_log_is_kept(olivia: Persona, adam: Persona) -> None:
    assert "audit_days" not in page(adam, "space_settings")
    assert post(adam, "space_rules", auto_accept="on", audit_days="1") == 403
    assert post(adam, "space_rules", auto_accept="on", audit_days="") == 403
    assert not Space.objects.get(pk=olivia.space.pk).auto_accept_invitations
    assert post(adam, "space_rules", auto_accept="on") == 302
    space = Space.objects.get(pk=olivia.space.pk)
    assert (space.auto_accept_invitations, space.audit_days) == (True, None)
    assert post(olivia, "space_rules", audit_days="30", language="ja") == 302
    space.refresh_from_db()
    assert (space.audit_days, space.language) == (30, "ja")
    assert post(adam, "space_rules", language="ja") == 302
    space.refresh_from_db()
    assert space.audit_days == 30
    assert post(olivia, "space_rules", audit_days="4000") == 422


def test_a_group_is_made_filled_and_deleted(
    olivia: Persona, cora: Persona, victor: Persona
) -> None:
    assert post(olivia, "groups", name="Pilots", description="They fly.") == 302
    with olivia.scope():
        group = SpaceGroup.objects.get()
    assert post(olivia, "group_add", group.pk, user=[cora.user.pk, victor.user.pk, "x"]) == 302
    shown = page(victor, "group", group.pk)
    assert "Cora" in shown
    assert "<form" not in shown.split('id="people-title"')[1].split("</section>")[0]
    assert post(olivia, "group_take_out", group.pk, victor.user.pk) == 302
    assert post(olivia, "groups", name="Pilots") == 422
    assert post(olivia, "group", group.pk, name="Crew") == 302
    assert post(olivia, "group_delete", group.pk) == 302
    assert "No group yet" in page(olivia, "groups")


def test_the_picker_answers_scripts_and_pages(olivia: Persona, cora: Persona) -> None:
    url = reverse("people_and_groups")
    found = olivia.client.get(url, {"q": "cor"}, headers={"Accept": "application/json"}).json()
    assert [each["value"] for each in found["picks"]] == [f"user:{cora.user.pk}"]
    assert 'role="option"' in olivia.client.get(url, {"q": "cor"}).content.decode()


def test_the_space_shows_what_it_stores(olivia: Persona) -> None:
    Space.objects.filter(pk=olivia.space.pk).update(storage_quota_bytes=2048)
    assert "<progress" in page(olivia, "space_settings")
    Space.objects.filter(pk=olivia.space.pk).update(storage_quota_bytes=0)
    assert "There is no limit" in page(olivia, "space_settings")


def test_a_space_is_deleted_on_its_page(olivia: Persona) -> None:
    assert post(olivia, "space_delete", typed_name="space b") == 422
    assert post(olivia, "space_delete", typed_name=" Space A ") == 302
    assert "is being deleted" in page(olivia, "spaces")
    assert 'hx-trigger="every 2s"' in page(olivia, "space_deletions")


def test_people_of_other_spaces_are_no_members_here(olivia: Persona) -> None:
    other = make_member(make_space(), role=Role.VIEWER)
    for name in ("member_suspend", "member_let_in", "member_hand_over"):
        assert post(olivia, name, other.pk) == 404


SPACE_PAGES = ("space_settings", "members", "groups", "audit", "lens")


@pytest.mark.parametrize("name", SPACE_PAGES)
def test_all_pages_of_a_space_have_the_same_tabs(adam: Persona, name: str) -> None:
    text = page(adam, name)
    for other in SPACE_PAGES:
        current = ' aria-current="page"' if other == name else ""
        assert re.search(rf'<a href="{reverse(other)}"\s*{current}\s*>', text), other


def test_tabs_that_a_member_may_not_open_are_not_there(cora: Persona) -> None:
    text = page(cora, "space_settings")
    assert f'href="{reverse("groups")}"' in text
    for name in ("audit", "lens"):
        assert f'href="{reverse(name)}"' not in text
