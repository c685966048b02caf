"""Invitations: who makes and sees them, what their links do, and when they stop."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.constants import MembershipState, Role
from accounts.models import Invitation, Membership
from accounts.queries import open_invitations
from accounts.services.invitations import (
    accept_invitation,
    create_invitation,
    find_invitation,
    revoke_invitation,
)
from accounts.services.members import leave_space
from core.errors import AccessDenied, Conflict, Gone, Invalid, NotFound
from tests.factories.accounts import make_invitation, make_member, make_space, make_user
from tests.personas import Persona

ORIGIN = "https://wiki.example.org"


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def invite(persona: Persona, *, role: str = Role.VIEWER, email: str = "") -> Invitation:
    return create_invitation(persona.actor, role=role, email=email, origin=ORIGIN).invitation


def test_the_link_is_told_and_the_mail_holds_it(olivia: Persona) -> None:
    sent = create_invitation(
        olivia.actor, role=Role.CONTRIBUTOR, email=" Neo@Example.org ", origin=ORIGIN
    )
    assert sent.link == f"{ORIGIN}/invitation/{sent.invitation.token}/"
    assert sent.mail_sent
    (message,) = mail.outbox
    assert message.to == ["neo@example.org"]
    assert message.subject == "Invitation to Space A"
    assert sent.link in message.body
    assert "Olivia invites you" in message.body


def test_a_link_without_an_address_sends_no_mail(olivia: Persona) -> None:
    sent = create_invitation(olivia.actor, role=Role.VIEWER, origin=ORIGIN)
    assert not sent.mail_sent
    assert mail.outbox == []


def test_names_in_a_mail_are_written_as_they_are(olivia: Persona) -> None:
    olivia.space.name = "R&D <b>\nBcc: all@example.org"
    olivia.space.save()
    invite(olivia, email="neo@example.org")
    (message,) = mail.outbox
    assert message.subject == "Invitation to R&D <b>"
    assert "Bcc" not in message.message()
    assert message.recipients() == ["neo@example.org"]


def test_an_invitation_stands_when_the_mail_server_fails(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> int:
        raise SMTPServerDisconnected("gone")

    monkeypatch.setattr(EmailBackend, "send_messages", fail)
    sent = create_invitation(olivia.actor, role="viewer", email="neo@example.org", origin=ORIGIN)
    assert not sent.mail_sent
    assert find_invitation(sent.invitation.token) == sent.invitation
    assert "could not be sent" in caplog.text
    assert sent.invitation.token not in caplog.text


@pytest.mark.parametrize(
    ("name", "roles"),
    [("olivia", {"admin", "contributor", "viewer"}), ("adam", {"contributor", "viewer"})],
)
def test_people_invite_below_their_own_role(
    request: pytest.FixtureRequest, name: str, roles: set[str]
) -> None:
    persona: Persona = request.getfixturevalue(name)
    for role in Role:
        if role in roles:
            assert invite(persona, role=role).role == role
        else:
            with pytest.raises((AccessDenied, Invalid)):
                invite(persona, role=role)


@pytest.mark.parametrize("name", ["cora", "victor"])
def test_others_do_not_invite_and_see_no_links(request: pytest.FixtureRequest, name: str) -> None:
    persona: Persona = request.getfixturevalue(name)
    invitation = make_invitation(persona.space)
    with pytest.raises(AccessDenied):
        invite(persona)
    assert open_invitations(persona.actor, origin=ORIGIN) == []
    with pytest.raises(NotFound):
        revoke_invitation(persona.actor, invitation_id=invitation.pk)


def test_an_admin_sees_no_link_to_a_role_like_their_own(olivia: Persona, adam: Persona) -> None:
    to_admin, to_viewer = invite(olivia, role=Role.ADMIN), invite(olivia, role=Role.VIEWER)
    seen = open_invitations(adam.actor, origin=ORIGIN)
    assert [row.invitation for row in seen] == [to_viewer]
    with pytest.raises(NotFound):
        revoke_invitation(adam.actor, invitation_id=to_admin.pk)
    assert len(open_invitations(olivia.actor, origin=ORIGIN)) == 2


def test_invitations_of_another_space_do_not_exist(olivia: Persona, mallory: Persona) -> None:
    invitation = invite(olivia)
    with pytest.raises(NotFound):
        revoke_invitation(mallory.actor, invitation_id=invitation.pk)
    assert open_invitations(mallory.actor, origin=ORIGIN) == []


def test_members_are_not_invited_again(olivia: Persona, cora: Persona) -> None:
    with pytest.raises(Conflict):
        invite(olivia, email="CORA@example.org")


def test_a_second_invitation_to_an_address_replaces_the_first(olivia: Persona) -> None:
    first, second = (invite(olivia, email="neo@example.org") for _ in range(2))
    with pytest.raises(Gone):
        find_invitation(first.token)
    assert find_invitation(second.token) == second


def test_accepting_makes_a_member_with_the_role(olivia: Persona, mallory: Persona) -> None:
    invitation = invite(olivia, role=Role.CONTRIBUTOR)
    membership = accept_invitation(mallory.user, token=invitation.token)
    assert (membership.space, membership.role) == (olivia.space, Role.CONTRIBUTOR)
    assert membership.invited_by == olivia.user
    invitation.refresh_from_db()
    assert invitation.accepted_count == 1


def test_accepting_never_changes_a_role(olivia: Persona, adam: Persona) -> None:
    invitation = make_invitation(olivia.space, role=Role.VIEWER)
    assert accept_invitation(adam.user, token=invitation.token).role == Role.ADMIN
    invitation.refresh_from_db()
    assert invitation.accepted_count == 0


def test_a_suspended_member_does_not_come_back_by_a_link(olivia: Persona, cora: Persona) -> None:
    Membership.objects.filter(pk=cora.membership.pk).update(state=MembershipState.SUSPENDED)
    with pytest.raises(AccessDenied, match="suspended"):
        accept_invitation(cora.user, token=make_invitation(olivia.space).token)


def test_an_invitation_to_an_address_is_for_that_person_once(olivia: Persona) -> None:
    invitation = invite(olivia, email="neo@example.org")
    with pytest.raises(AccessDenied, match=r"neo@example\.org"):
        accept_invitation(make_user("trinity@example.org"), token=invitation.token)
    neo = make_user("neo@example.org")
    accept_invitation(neo, token=invitation.token)
    Membership.objects.filter(user=neo).delete()
    with pytest.raises(Gone):
        accept_invitation(neo, token=invitation.token)


def test_a_link_for_all_works_for_many(olivia: Persona) -> None:
    invitation = invite(olivia)
    for _ in range(3):
        accept_invitation(make_user(), token=invitation.token)
    invitation.refresh_from_db()
    assert invitation.accepted_count == 3
    assert invitation.is_open


def test_dead_and_unknown_links_answer_alike(olivia: Persona) -> None:
    revoked, ended = invite(olivia), invite(olivia)
    revoke_invitation(olivia.actor, invitation_id=revoked.pk)
    Invitation.objects.filter(pk=ended.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    messages = set()
    for token in (revoked.token, ended.token, "", "x" * 43):
        with pytest.raises(Gone) as refusal:
            accept_invitation(olivia.user, token=token)
        messages.add(refusal.value.message)
    assert len(messages) == 1
    assert open_invitations(olivia.actor, origin=ORIGIN) == []


def test_links_work_for_a_week_and_cannot_be_guessed(db: None) -> None:
    first, second = (make_invitation(make_space()) for _ in range(2))
    assert first.expires_at - timezone.now() > timedelta(days=6, hours=23)
    assert first.token != second.token
    assert len(first.token) >= 43


def test_members_who_are_invited_by_name_keep_their_other_spaces(olivia: Persona) -> None:
    neo = make_member(make_space(), role=Role.OWNER).user
    accept_invitation(neo, token=invite(olivia, email=neo.email).token)
    assert neo.memberships.count() == 2


def join(persona: Persona, invitation: Invitation) -> int:
    """Open the link and press the button, as the person's browser does."""
    url = reverse("invitation", args=[invitation.token])
    shown, joined = persona.client.get(url), persona.client.post(url)
    assert (shown.status_code == 200) == (joined.status_code == 302)
    return joined.status_code


def remove(persona: Persona, person: Persona) -> None:
    membership = Membership.objects.get(space=persona.space, user=person.user)
    persona.client.post(reverse("member_remove", args=[membership.pk]))


def test_who_was_removed_does_not_come_back_by_a_link_of_before(
    olivia: Persona, mallory: Persona
) -> None:
    used, other = invite(olivia), invite(olivia, role=Role.CONTRIBUTOR)
    assert join(mallory, used) == 302
    remove(olivia, mallory)
    for link in (used, other):
        answer = mallory.client.post(reverse("invitation", args=[link.token]))
        assert answer.status_code == 403
        assert "You were removed from this space" in answer.content.decode()
        assert join(mallory, link) == 403
    assert not Membership.objects.filter(space=olivia.space, user=mallory.user).exists()


@pytest.mark.parametrize("to_address", [True, False])
def test_who_was_removed_comes_back_by_a_new_invitation(
    olivia: Persona, mallory: Persona, to_address: bool
) -> None:
    old = invite(olivia)
    join(mallory, old)
    remove(olivia, mallory)
    assert join(mallory, invite(olivia, email=mallory.user.email if to_address else "")) == 302
    assert join(mallory, old) == 302, "a member may open any link"


def test_a_link_stays_open_to_others_and_to_who_left_by_themselves(
    olivia: Persona, mallory: Persona
) -> None:
    link = invite(olivia)
    for person in (mallory, Persona(membership=make_member(make_space()))):
        assert join(person, link) == 302
    leave_space(mallory.user, space_id=olivia.space.pk)
    assert join(mallory, link) == 302


def test_the_removal_says_which_links_are_open(olivia: Persona, mallory: Persona) -> None:
    join(mallory, invite(olivia))
    invite(olivia, email="neo@example.org")
    page = olivia.client.get(reverse("members")).content.decode()
    dialog = page[page.index('id="remove"') :]
    assert "1 open link needs no address." in dialog[: dialog.index("</dialog>")]
    assert "Viewer · Works until" in dialog[: dialog.index("</dialog>")]


def test_links_of_a_suspended_member_are_paused_until_they_are_let_in(
    olivia: Persona, adam: Persona, mallory: Persona
) -> None:
    link, mailed = invite(adam), invite(adam, email=mallory.user.email)
    membership = Membership.objects.get(space=olivia.space, user=adam.user)
    olivia.client.post(reverse("member_suspend", args=[membership.pk]))
    for each in (link, mailed):
        assert join(mallory, each) == 403
        answer = Client().get(reverse("invitation", args=[each.token]))
        assert "This invitation is paused" in answer.content.decode()
    assert "does not work while" in olivia.client.get(reverse("members")).content.decode()
    assert not mallory.client.get(reverse("own_invitations")).context["invitations"]
    olivia.client.post(reverse("member_let_in", args=[membership.pk]))
    assert join(mallory, link) == 302


def test_links_of_somebody_whose_account_is_off_are_paused(adam: Persona, mallory: Persona) -> None:
    link = invite(adam)
    adam.user.is_active = False
    adam.user.save()
    assert join(mallory, link) == 403
