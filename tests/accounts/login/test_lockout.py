"""Guessing passwords is slowed down, in words, and tells nothing about who exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from django.core.cache import cache
from django.dispatch import Signal
from django.test import Client
from django.urls import reverse

from accounts.login.lockout import ACCOUNT, Attempt, seconds_locked, unlock
from accounts.models import PlatformAuditEvent
from tests.factories.accounts import PASSWORD, make_member, make_space

LOGIN = "/account/login/"


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    cache.clear()
    with time_machine.travel("2030-01-01T12:00:00Z", tick=False) as traveller:
        yield traveller
    cache.clear()


@pytest.fixture
def address(db: None) -> str:
    return make_member(make_space()).user.email


def sign_in(address: str, password: str = PASSWORD, *, ip: str = "192.0.2.1") -> str:
    """Return what the page says; blank when it let one in."""
    client = Client(REMOTE_ADDR=ip)
    response = client.post(LOGIN, {"login": address, "password": password})
    if response.status_code == 302:
        return ""
    found = re.search(r'role="alert".*?<p>(.*?)</p>', response.content.decode(), re.DOTALL)
    return found[1] if found else "no reason given"


def fail(address: str, times: int = ACCOUNT.tries) -> list[str]:
    return [sign_in(address, "wrong", ip=f"192.0.2.{number + 10}") for number in range(times)]


def test_after_five_failures_even_the_right_password_has_to_wait(address: str) -> None:
    assert set(fail(address)) == {"That e-mail and password do not match."}
    assert sign_in(address) == "Too many tries. Wait 5 minutes or reset the password."


def test_the_pause_ends_and_the_next_one_is_twice_as_long(
    address: str, clock: time_machine.Traveller
) -> None:
    fail(address)
    clock.shift(301)
    fail(address)
    assert "Wait 10 minutes" in sign_in(address)
    clock.shift(601)
    assert sign_in(address) == ""


def test_a_pause_never_exceeds_an_hour() -> None:
    assert [ACCOUNT.pause_seconds(number) for number in (1, 2, 3, 4, 5, 60)] == [
        *(300, 600, 1200, 2400, 3600, 3600)
    ]


def test_nobodys_address_is_treated_like_a_persons(address: str) -> None:
    assert fail("nobody@example.net") == fail(address)
    assert sign_in("nobody@example.net") == sign_in(address)


def test_coming_in_forgets_the_failures_before(address: str) -> None:
    fail(address, ACCOUNT.tries - 1)
    assert sign_in(address) == ""
    fail(address, ACCOUNT.tries - 1)
    assert sign_in(address) == ""


@pytest.fixture
def unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No audit: these tests need no database."""
    monkeypatch.setattr("accounts.login.lockout.sign_in_locked", Signal())


@pytest.mark.usefixtures("unheard")
def test_ones_own_password_does_not_buy_more_guesses_at_others() -> None:
    own = Attempt(email="own@example.org", address="198.51.100.1")
    for number in range(49):
        other = Attempt(email=f"p{number}@example.org", address="198.51.100.1")
        assert other.seconds_to_wait() == 0
        other.failed()
        assert own.seconds_to_wait() == 0
        own.succeeded()
    last = Attempt(email="p49@example.org", address="198.51.100.1")
    assert last.seconds_to_wait() == 0
    last.failed()
    assert own.seconds_to_wait() > 0


@pytest.mark.usefixtures("unheard")
def test_tries_sent_at_once_do_not_overtake_the_count() -> None:
    attempt = Attempt(email="a@example.org", address="198.51.100.2")
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: attempt.seconds_to_wait(), range(40)))
    assert sum(wait == 0 for wait in waits) <= ACCOUNT.tries


def test_an_administrator_can_end_a_pause(address: str) -> None:
    fail(address)
    assert seconds_locked(address.upper()) > 0
    unlock(address)
    assert seconds_locked(address) == 0
    assert sign_in(address) == ""


def test_the_audit_says_who_was_locked_and_holds_no_password(address: str) -> None:
    fail(address)
    fail("my-Secret-in-the-wrong-field@example.net")
    rows = PlatformAuditEvent.objects.filter(action__startswith="login.")
    locked = rows.filter(action="login.locked", target_name=address).get()
    assert (locked.outcome, locked.details["seconds"]) == ("refused", 300)
    assert "ecret-in-the" not in str(list(rows.values()))
    assert "wrong'" not in str(list(rows.values("details")))


def test_the_admin_site_has_no_door_beside_this_one(db: None, address: str) -> None:
    response = Client().post(reverse("admin:login"), {"username": address, "password": PASSWORD})
    assert response.headers["Location"].startswith(LOGIN)
