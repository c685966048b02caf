"""Where one is signed in: the list, ending one or all others, and what ends them by itself."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.login.sessions import device_name
from accounts.models import PlatformAuditEvent, User
from accounts.signals import sessions_ended
from tests.accounts.login.test_passwords import reset_link
from tests.factories.accounts import PASSWORD
from tests.personas import Persona

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile/1 Safari/604"
HOME = "/profile/"


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def browser(person: Persona, agent: str = FIREFOX, *, remember: bool = True) -> Client:
    client = Client(HTTP_USER_AGENT=agent)
    form = {"login": person.user.email, "password": PASSWORD}
    page = client.post(
        reverse("account_login"), {**form, **({"remember": "on"} if remember else {})}
    )
    assert page.status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get(HOME).status_code == 200


def test_the_page_names_each_browser_and_marks_this_one(olivia: Persona) -> None:
    browser(olivia, PHONE)
    page = browser(olivia).get(reverse("security")).content.decode()
    assert "Firefox on Linux" in page
    assert "Safari on iPhone" in page
    assert page.count("This browser") == 1


def test_one_browser_can_be_signed_out_from_another(olivia: Persona) -> None:
    lost, here = browser(olivia, PHONE), browser(olivia)
    row = UserSession.objects.get(user_agent=PHONE)
    here.post(reverse("session_end", args=[row.pk]))
    assert not is_in(lost)
    assert is_in(here)


def test_nobody_ends_the_session_of_another(olivia: Persona, mallory: Persona) -> None:
    here = browser(olivia)
    row = UserSession.objects.get(user=olivia.user)
    url = reverse("session_end", args=[row.pk])
    assert mallory.client.post(url).status_code == 404
    assert is_in(here)


def test_all_others_can_be_signed_out_at_once(olivia: Persona) -> None:
    others, here = [browser(olivia, PHONE), browser(olivia)], browser(olivia)
    here.post(reverse("sessions_end_others"))
    assert [is_in(one) for one in others] == [False, False]
    assert is_in(here)


def test_s16_changing_the_password_ends_all_other_sessions(olivia: Persona) -> None:
    other, here = browser(olivia, PHONE), browser(olivia)
    new = {"password1": "green-lantern-43", "password2": "green-lantern-43"}
    here.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **new})
    assert not is_in(other)
    assert is_in(here)
    assert UserSession.objects.filter(user=olivia.user).count() == 1


def test_s16_resetting_the_password_ends_every_session(olivia: Persona) -> None:
    old = browser(olivia)
    client = Client()
    form = client.get(reset_link(olivia.user.email), follow=True).request["PATH_INFO"]
    client.post(form, {"password1": "green-lantern-43", "password2": "green-lantern-43"})
    assert not is_in(old)
    assert not UserSession.objects.filter(user=olivia.user).exists()


def test_s34_who_is_switched_off_is_out_with_the_next_request(olivia: Persona) -> None:
    here = browser(olivia)
    User.objects.filter(pk=olivia.user.pk).update(is_active=False)
    assert not is_in(here)


def test_ended_sessions_are_announced(
    olivia: Persona, django_capture_on_commit_callbacks: Any
) -> None:
    heard: list[int] = []

    def listen(user_id: int, **_: Any) -> None:
        heard.append(user_id)

    sessions_ended.connect(listen)
    here = browser(olivia)
    with django_capture_on_commit_callbacks(execute=True):
        here.post(reverse("sessions_end_others"))
    sessions_ended.disconnect(listen)
    assert heard == [olivia.user.pk]


def test_a_session_that_is_not_used_ends(olivia: Persona, settings: Any) -> None:
    settings.SESSION_IDLE_SECONDS = 1800
    with time_machine.travel("2030-01-01T12:00:00Z", tick=False) as clock:
        here = browser(olivia)
        clock.shift(1700)
        assert is_in(here)
        clock.shift(1700)
        assert is_in(here)
        clock.shift(1861)
        assert not is_in(here)


def test_use_is_noted_at_most_once_a_minute(
    olivia: Persona, django_assert_num_queries: Any
) -> None:
    with time_machine.travel("2030-01-01T12:00:00Z", tick=False) as clock:
        here = browser(olivia)
        first = UserSession.objects.get(user=olivia.user).last_seen_at
        clock.shift(61)
        here.get("/health/live")
        assert UserSession.objects.get(user=olivia.user).last_seen_at > first
        with django_assert_num_queries(3):  # session, person, memberships
            here.get("/health/live")


def test_not_remembered_means_until_the_browser_closes(olivia: Persona) -> None:
    kept, passing = browser(olivia), browser(olivia, remember=False)
    assert kept.cookies["sessionid"]["max-age"] == 14 * 86_400
    assert passing.cookies["sessionid"]["max-age"] == ""


def test_coming_and_going_are_in_the_audit(olivia: Persona) -> None:
    here = browser(olivia)
    here.post(reverse("account_logout"))
    actions = PlatformAuditEvent.objects.order_by("pk").values_list("action", "target_name")
    assert list(actions) == [("login.in", olivia.user.email), ("login.out", olivia.user.email)]


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (PHONE, "Safari on iPhone"),
        ("curl/8.1", "curl"),
        ("", "Unknown device"),
    ],
)
def test_devices_have_names(agent: str, name: str) -> None:
    assert device_name(agent) == name
