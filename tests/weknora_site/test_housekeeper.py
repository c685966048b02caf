from __future__ import annotations

import threading

import pytest
from django.db import OperationalError, connection

from weknora_site import housekeeper
from weknora_site.housekeeper import HousekeeperThread, keep_house_alone


@pytest.mark.django_db(transaction=True)
def test_only_one_process_keeps_house_at_a_time(monkeypatch):
    inside, leave = threading.Event(), threading.Event()

    def slow() -> None:
        inside.set()
        assert leave.wait(10)

    monkeypatch.setattr(housekeeper, "keep_house", slow)
    first: list[bool] = []

    def run() -> None:
        first.append(keep_house_alone())
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert inside.wait(10)
    assert keep_house_alone() is False
    leave.set()
    thread.join(timeout=10)
    assert first == [True]
    assert keep_house_alone() is True


@pytest.mark.django_db(transaction=True)
def test_lock_is_given_back_when_housekeeping_fails(monkeypatch):
    def fail() -> None:
        raise ValueError("broken")

    monkeypatch.setattr(housekeeper, "keep_house", fail)
    with pytest.raises(ValueError, match="broken"):
        keep_house_alone()
    monkeypatch.setattr(housekeeper, "keep_house", lambda: None)
    assert keep_house_alone() is True


def test_thread_goes_on_after_every_failure(monkeypatch, settings):
    settings.HOUSEKEEPING_SECONDS = 0.01
    rounds = iter([OperationalError("away"), ValueError("bug"), None])
    done = threading.Event()

    def round_of_housekeeping() -> bool:
        error = next(rounds, None)
        if error is None:
            done.set()
            return True
        raise error

    monkeypatch.setattr(housekeeper, "keep_house_alone", round_of_housekeeping)
    thread = HousekeeperThread()
    thread.start()
    assert done.wait(10)
    thread.stop()
    assert not thread.is_alive()
