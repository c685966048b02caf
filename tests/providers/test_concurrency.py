"""Places for background calls: never more than the limit, never lost with a killed worker."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import nullcontext

import pytest
from pytest_django import Settings

from providers.concurrency import background_slot
from providers.contracts.errors import ModelError


@pytest.fixture
def key(broker: str) -> str:
    return uuid.uuid4().hex


def test_no_more_than_the_limit_run_at_once(key: str) -> None:
    running, most, lock = 0, 0, threading.Lock()
    both_in = threading.Barrier(2, timeout=10)

    def work(position: int) -> None:
        nonlocal running, most
        with background_slot(key, limit=2, wait_seconds=20):
            with lock:
                running += 1
                most = max(most, running)
            if position < 2:
                both_in.wait()
            with lock:
                running -= 1

    first = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    later = [threading.Thread(target=work, args=(number,)) for number in range(2, 8)]
    for thread in first + later:
        thread.start()
    for thread in first + later:
        thread.join()
    assert (running, most) == (0, 2)


def test_a_waiter_gets_the_place_that_is_given_back(key: str) -> None:
    waiting, got = threading.Event(), threading.Event()

    def wait() -> None:
        waiting.set()
        with background_slot(key, limit=1, wait_seconds=20):
            got.set()

    thread = threading.Thread(target=wait)
    with background_slot(key, limit=1):
        thread.start()
        assert waiting.wait(5)
        assert not got.is_set()
    thread.join()
    assert got.is_set()


def test_no_place_for_too_long_is_a_failure_to_retry(key: str) -> None:
    with (
        background_slot(key, limit=1),
        pytest.raises(ModelError) as caught,
        background_slot(key, limit=1, wait_seconds=0.1),
    ):
        raise AssertionError("there was no place to have")
    assert (caught.value.kind, caught.value.retry) == ("overloaded", True)


def test_a_cancelled_wait_ends_at_once(key: str) -> None:
    started = time.monotonic()
    with (
        background_slot(key, limit=1),
        pytest.raises(ModelError, match="canceled"),
        background_slot(key, limit=1, wait_seconds=60, cancelled=lambda: True),
    ):
        raise AssertionError("there was no place to have")
    assert time.monotonic() - started < 5


def test_a_dead_holders_place_is_free_after_its_lease(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A killed process neither renews nor gives back.
    holder = background_slot(key, limit=1, lease_seconds=0.3)
    monkeypatch.setattr("providers.concurrency._Slot.give_back", lambda self: None)
    monkeypatch.setattr("providers.concurrency._renewed", lambda slot: nullcontext())
    with holder:
        pass
    with background_slot(key, limit=1, wait_seconds=10, lease_seconds=0.3):
        pass


def test_a_long_call_keeps_its_place_beyond_the_lease(key: str) -> None:
    with (
        background_slot(key, limit=1, lease_seconds=0.3),
        pytest.raises(ModelError),
        background_slot(key, limit=1, wait_seconds=1.0, lease_seconds=0.3),
    ):
        raise AssertionError("there was no place to have")


def test_two_models_do_not_share_places(key: str) -> None:
    with background_slot(key, limit=1), background_slot(f"{key}-b", limit=1, wait_seconds=1):
        pass


def test_without_redis_calls_are_made_and_the_log_says_so(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    with background_slot("x", limit=1), background_slot("x", limit=1, wait_seconds=1):
        pass
    assert "Redis fails" in caplog.text
