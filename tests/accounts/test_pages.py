"""Pages of accounts, as browsers use them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.constants import Role
from accounts.models import Invitation, Membership, Space, User
from accounts.notices.log_backend import LogBackend
from accounts.views.invitations import TRIES_PER_MINUTE
from tests.factories.accounts import PASSWORD, make_invitation, make_member, make_space
from tests.personas import Persona

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_a_new_space_is_entered_at_once(olivia: Persona) -> None:
    response = olivia.client.post(reverse("spaces"), {"name": "Hangar 3", "description": ""})
    assert response.status_code == 302
    assert "Hangar 3" in text_of(olivia.client.get(reverse("space_settings")))


def test_a_space_that_cannot_be_made_says_why(olivia: Persona, settings: Any) -> None:
    settings.ACCOUNTS_MAX_OWNED_SPACES = 1
    response = olivia.client.post(reverse("spaces"), {"name": "Hangar 3"})
    assert response.status_code == 422
    assert "You own 1 spaces" in text_of(response)
    response = olivia.client.post(reverse("spaces"), {"name": " "})
    assert response.status_code == 422
    assert not Space.objects.filter(name="Hangar 3").exists()


@pytest.mark.parametrize(("name", "status"), [("adam", 302), ("victor", 403)])
def test_only_admins_change_the_settings_others_read_them(
    request: pytest.FixtureRequest, name: str, status: int
) -> None:
    persona: Persona = request.getfixturevalue(name)
    page = text_of(persona.client.get(reverse("space_settings")))
    assert ("disabled" in page) == (status == 403)
    for form in ({"name": "Renamed"}, {}):
        response = persona.client.post(reverse("space_settings"), form)
        assert response.status_code == (status if form else 422 if status == 302 else 403)


def test_viewers_see_members_but_nothing_to_press(olivia: Persona, victor: Persona) -> None:
    make_invitation(victor.space)
    page = text_of(victor.client.get(reverse("members")))
    assert "olivia@example.org" in page
    for absent in ("/role/", "/remove/", "/revoke/", "/invitation/", reverse("invitations")):
        assert absent not in page


def test_a_role_changes_in_place_for_htmx_and_by_a_page_without(
    olivia: Persona, cora: Persona
) -> None:
    url = reverse("member_role", args=[cora.membership.pk])
    fragment = olivia.client.post(url, {"role": "viewer"}, headers=HTMX)
    assert fragment.status_code == 200
    assert (
        text_of(fragment)
        .strip()
        .startswith(f'<li class="card person" id="member-{cora.membership.pk}"')
    )
    assert "Cora is now Viewer." in fragment.headers["HX-Trigger"]
    page = olivia.client.post(url, {"role": "admin"}, follow=True)
    assert "Cora is now Admin." in text_of(page)


def test_a_refused_change_is_told_to_htmx_as_a_fragment(adam: Persona, olivia: Persona) -> None:
    url = reverse("member_remove", args=[olivia.membership.pk])
    response = adam.client.post(url, headers=HTMX)
    assert response.status_code == 403
    assert "<html" not in text_of(response)
    assert "data-message" in text_of(response)


def test_a_removed_member_is_gone_from_the_list(olivia: Persona, cora: Persona) -> None:
    url = reverse("member_remove", args=[cora.membership.pk])
    page = text_of(olivia.client.post(url, follow=True))
    assert "Cora is no longer a member." in page
    assert "cora@example.org" not in page


def test_leaving_from_the_list(cora: Persona) -> None:
    response = cora.client.post(reverse("space_leave", args=[cora.space.pk]), follow=True)
    assert "You are not in a space yet" in text_of(response)
    assert not Membership.objects.filter(user=cora.user).exists()


def test_an_invitation_shows_its_link_and_can_be_revoked(olivia: Persona) -> None:
    page = olivia.client.post(
        reverse("invitations"), {"email": "neo@example.org", "role": "viewer"}, follow=True
    )
    invitation = Invitation.objects.get()
    assert f"http://testserver/invitation/{invitation.token}/" in text_of(page)
    assert "was sent to neo@example.org" in text_of(page)
    assert page.headers["Cache-Control"].startswith("max-age=0")
    page = olivia.client.post(reverse("invitation_revoke", args=[invitation.pk]), follow=True)
    assert invitation.token not in text_of(page)


def test_without_a_mail_server_the_page_says_that_no_mail_went(
    olivia: Persona, settings: Any
) -> None:
    settings.EMAIL_BACKEND = f"{LogBackend.__module__}.{LogBackend.__qualname__}"
    form = {"email": "neo@example.org", "role": "viewer"}
    page = text_of(olivia.client.post(reverse("invitations"), form, follow=True))
    assert "No mail went to neo@example.org" in page
    assert Invitation.objects.get().token in page


@pytest.mark.parametrize(
    "form",
    [{"email": "nonsense", "role": "viewer"}, {"role": "owner"}, {"role": "king"}, {}],
    ids=["address", "owner", "unknown role", "nothing"],
)
def test_an_unusable_invitation_form_is_shown_again(olivia: Persona, form: dict[str, str]) -> None:
    assert olivia.client.post(reverse("invitations"), form).status_code == 422
    assert not Invitation.objects.exists()


def test_a_member_cannot_be_invited_and_the_form_says_so(olivia: Persona, cora: Persona) -> None:
    form = {"email": "cora@example.org", "role": "viewer"}
    response = olivia.client.post(reverse("invitations"), form)
    assert response.status_code == 422
    assert "is a member already" in text_of(response)


def test_a_stranger_signs_up_through_the_link(stranger: Client, olivia: Persona) -> None:
    invitation = make_invitation(olivia.space, role=Role.VIEWER, invited_by=olivia.user)
    url = reverse("invitation", args=[invitation.token])
    page = text_of(stranger.get(url))
    assert "Join Space A" in page
    assert f"{reverse('account_login')}?next={url}" in page
    form = {"email": "neo@example.org", "name": "Neo", "password": PASSWORD}
    assert stranger.post(url, form).status_code == 302
    assert text_of(stranger.get(reverse("members"))).count("neo@example.org")
    assert Membership.objects.get(user__email="neo@example.org").role == Role.VIEWER


def test_the_address_of_a_directed_invitation_cannot_be_changed(
    stranger: Client, olivia: Persona
) -> None:
    url = reverse("invitation", args=[make_invitation(olivia.space, email="neo@example.org").token])
    form = {"email": "smith@example.org", "name": "Smith", "password": PASSWORD}
    stranger.post(url, form)
    assert not User.objects.filter(email="smith@example.org").exists()
    assert User.objects.filter(email="neo@example.org").exists()


def test_mistakes_of_the_new_person_are_told_at_the_field(
    stranger: Client, olivia: Persona
) -> None:
    url = reverse("invitation", args=[make_invitation(olivia.space).token])
    weak = stranger.post(url, {"email": "neo@example.org", "password": "12345678"})
    assert weak.status_code == 422
    assert 'aria-invalid="true"' in text_of(weak)
    taken = stranger.post(url, {"email": olivia.user.email, "password": PASSWORD})
    assert "Sign in to join" in text_of(taken)
    assert PASSWORD not in text_of(taken)


def test_an_existing_person_joins_and_enters(olivia: Persona, mallory: Persona) -> None:
    url = reverse("invitation", args=[make_invitation(olivia.space).token])
    assert "Join Space A" in text_of(mallory.client.get(url))
    assert not Membership.objects.filter(user=mallory.user, space=olivia.space).exists()
    assert mallory.client.post(url).status_code == 302
    assert mallory.client.session["space_id"] == olivia.space.pk


def test_signing_in_leads_back_to_the_invitation(stranger: Client, olivia: Persona) -> None:
    user = make_member(make_space()).user
    url = reverse("invitation", args=[make_invitation(olivia.space).token])
    login = {"login": user.email, "password": PASSWORD, "next": url}
    response = stranger.post(reverse("account_login"), login)
    assert response.headers["Location"] == url


def test_the_wrong_person_is_told_whom_the_invitation_is_for(
    olivia: Persona, mallory: Persona
) -> None:
    url = reverse("invitation", args=[make_invitation(olivia.space, email="neo@example.org").token])
    assert "This invitation is for neo@example.org" in text_of(mallory.client.get(url))
    assert mallory.client.post(url).status_code == 403


@pytest.mark.parametrize("who", ["stranger", "mallory"])
def test_a_dead_link_says_so(request: pytest.FixtureRequest, olivia: Persona, who: str) -> None:
    somebody = request.getfixturevalue(who)
    client = somebody.client if isinstance(somebody, Persona) else somebody
    response = client.get(reverse("invitation", args=["x" * 43]))
    assert response.status_code == 410
    assert "no longer works" in text_of(response)


def test_links_cannot_be_tried_without_end(stranger: Client, db: None) -> None:
    url = reverse("invitation", args=["x" * 43])
    statuses = [stranger.get(url).status_code for _ in range(TRIES_PER_MINUTE + 1)]
    assert set(statuses[:-1]) == {410}
    assert statuses[-1] == 429
    assert stranger.get(url, REMOTE_ADDR="192.0.2.7").status_code == 410
    # A header that no trusted proxy set does not make another client.
    assert stranger.get(url, headers={"X-Forwarded-For": "192.0.2.8"}).status_code == 429


def test_a_name_is_changed_on_the_profile_page(victor: Persona) -> None:
    url = reverse("profile")
    assert reverse("security") in text_of(victor.client.get(url))
    assert victor.client.post(url, {"name": "  Victor   Vale "}).status_code == 302
    assert User.objects.get(pk=victor.user.pk).name == "Victor Vale"
    assert victor.client.post(url, {"name": "x" * 151}).status_code == 422


def test_names_are_escaped(olivia: Persona, cora: Persona) -> None:
    User.objects.filter(pk=cora.user.pk).update(name="<script>alert(1)</script>")
    page = text_of(olivia.client.get(reverse("members")))
    assert not re.search(r"<script>alert", page)
    assert "&lt;script&gt;alert(1)" in page


def test_the_list_of_members_costs_the_same_for_many(
    olivia: Persona, django_assert_max_num_queries: Any
) -> None:
    for _ in range(30):
        make_member(olivia.space)
        make_invitation(olivia.space)
    client = olivia.client
    with django_assert_max_num_queries(15):
        client.get(reverse("members"))
