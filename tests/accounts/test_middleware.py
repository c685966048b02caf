"""Who a request is, in which space, and where those go who are in none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client, override_settings
from django.urls import include, path, reverse

from accounts.actors import SPACE_SESSION_KEY
from accounts.constants import MembershipState, Role
from accounts.models import Membership, User
from core.tenancy import current_space_id
from tests.factories.accounts import PASSWORD, make_member, make_space, make_user
from tests.personas import LOGIN_BACKEND, Persona


def show_scope(request: HttpRequest) -> HttpResponse:
    actor = getattr(request, "actor", None)
    return HttpResponse(f"{actor.space_id if actor else None} {current_space_id()}")


async def show_scope_async(request: HttpRequest) -> HttpResponse:
    return show_scope(request)


urlpatterns = [
    path("probe/", show_scope),
    path("probe-async/", show_scope_async),
    path("health/probe/", show_scope),
    path("spaces/probe/", show_scope),
    path("", include("weknora_site.urls")),
]


@pytest.fixture(autouse=True)
def _probes(db: None) -> Iterator[None]:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@contextmanager
def nothing_left() -> Iterator[None]:
    yield
    assert current_space_id() is None


def scope_of(client: Client, url: str = "/probe/") -> str:
    return client.get(url).content.decode()


def test_a_member_works_in_their_space(olivia: Persona) -> None:
    with nothing_left():
        assert scope_of(olivia.client) == f"{olivia.space.pk} {olivia.space.pk}"


async def _async_scope(user: User, url: str) -> str:
    client = AsyncClient()
    await client.aforce_login(user, backend=LOGIN_BACKEND)
    return (await client.get(url)).content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("url", ["/probe/", "/probe-async/"])
async def test_the_scope_reaches_views_under_asgi(olivia: Persona, url: str) -> None:
    with nothing_left():
        assert await _async_scope(olivia.user, url) == f"{olivia.space.pk} {olivia.space.pk}"


@pytest.mark.parametrize("url", ["/probe/", "/spaces/", "/nowhere/", "/profile/"])
def test_strangers_are_asked_to_sign_in_and_come_back(stranger: Client, url: str) -> None:
    response = stranger.get(url + "?q=1")
    assert response.status_code == 302
    assert response.headers["Location"] == f"{reverse('account_login')}?next={url}%3Fq%3D1"


def test_a_strangers_form_is_not_replayed_after_signing_in(stranger: Client) -> None:
    assert stranger.post("/spaces/").headers["Location"] == reverse("account_login")


def test_a_strangers_fragment_sends_the_whole_page_to_the_sign_in(stranger: Client) -> None:
    response = stranger.get("/probe/", headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == reverse("account_login")


def test_open_paths_reach_strangers_without_a_space(stranger: Client) -> None:
    assert scope_of(stranger, "/health/probe/") == "None None"


def test_people_without_a_space_are_sent_to_where_they_find_one(db: None) -> None:
    client = Client()
    client.force_login(make_user(), backend=LOGIN_BACKEND)
    assert client.get("/probe/").headers["Location"] == reverse("spaces")
    assert client.get("/spaces/current/").headers["Location"] == reverse("spaces")
    assert scope_of(client, "/spaces/probe/") == "None None"
    assert client.get("/profile/").status_code == 200


def test_the_session_then_the_last_space_then_the_oldest_is_chosen(olivia: Persona) -> None:
    second, third = make_space(), make_space()
    for space in (second, third):
        make_member(space, user=olivia.user)
    assert scope_of(olivia.client).startswith(f"{olivia.space.pk} ")
    User.objects.filter(pk=olivia.user.pk).update(last_space=second)
    assert scope_of(olivia.client).startswith(f"{second.pk} ")
    olivia.client.post(reverse("space_switch", args=[third.pk]))
    User.objects.filter(pk=olivia.user.pk).update(last_space=second)
    assert scope_of(olivia.client).startswith(f"{third.pk} ")


def test_a_forged_session_opens_no_foreign_space(olivia: Persona, mallory: Persona) -> None:
    session = mallory.client.session
    session[SPACE_SESSION_KEY] = olivia.space.pk
    session.save()
    assert scope_of(mallory.client).startswith(f"{mallory.space.pk} ")
    assert SPACE_SESSION_KEY not in mallory.client.session


@pytest.mark.parametrize("end", ["removed", "suspended"])
def test_an_ended_membership_counts_with_the_next_request(cora: Persona, end: str) -> None:
    cora.client.post(reverse("space_switch", args=[cora.space.pk]))
    assert scope_of(cora.client).startswith(f"{cora.space.pk} ")
    rows = Membership.objects.filter(pk=cora.membership.pk)
    if end == "removed":
        rows.delete()
    else:
        rows.update(state=MembershipState.SUSPENDED)
    assert cora.client.get("/probe/").headers["Location"] == reverse("spaces")
    assert SPACE_SESSION_KEY not in cora.client.session


def test_a_changed_role_counts_with_the_next_request(adam: Persona) -> None:
    url = reverse("space_settings")
    form = {"name": "Renamed", "description": ""}
    assert adam.client.post(url, form).status_code == 302
    Membership.objects.filter(pk=adam.membership.pk).update(role=Role.VIEWER)
    assert adam.client.post(url, form).status_code == 403


def test_who_is_switched_off_is_signed_out(olivia: Persona) -> None:
    assert olivia.client.get("/probe/").status_code == 200
    User.objects.filter(pk=olivia.user.pk).update(is_active=False)
    assert olivia.client.get("/probe/").status_code == 302


def test_signing_in_gives_a_new_session_without_what_was_in_the_old(stranger: Client) -> None:
    user = make_member(make_space()).user
    session = stranger.session
    session[SPACE_SESSION_KEY] = 1
    session.save()
    before = session.session_key
    stranger.cookies["sessionid"] = str(before)
    stranger.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert stranger.session[SESSION_KEY] == str(user.pk)
    assert stranger.session.session_key != before


def test_another_person_on_the_same_browser_starts_afresh(
    olivia: Persona, mallory: Persona
) -> None:
    client = olivia.client
    client.post(reverse("space_switch", args=[olivia.space.pk]))
    client.force_login(mallory.user, backend=LOGIN_BACKEND)
    assert SPACE_SESSION_KEY not in client.session
    assert scope_of(client).startswith(f"{mallory.space.pk} ")


def test_knowing_who_is_there_costs_three_queries(
    olivia: Persona, django_assert_num_queries: Any
) -> None:
    olivia.client.get("/probe/")
    with django_assert_num_queries(3):  # session, person, memberships
        olivia.client.get("/probe/")
