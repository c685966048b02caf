"""Calls that cannot be stopped are left behind at once when somebody cancels."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from contextvars import ContextVar

import pytest

from core.jobs.handlers import JobCancelled
from core.jobs.interrupt import call_interruptibly, wait_interruptibly

WHERE = ContextVar("WHERE", default="nowhere")


def test_call_returns_its_result_and_sees_the_callers_context() -> None:
    token = WHERE.set("here")
    try:
        assert call_interruptibly(WHERE.get, should_cancel=lambda: False) == "here"
    finally:
        WHERE.reset(token)


def test_error_of_the_call_is_the_callers() -> None:
    def fail() -> None:
        raise LookupError("no")

    with pytest.raises(LookupError):
        call_interruptibly(fail, should_cancel=lambda: False)


def test_caller_is_free_within_a_second_of_the_cancellation() -> None:
    let_go = threading.Event()
    began = time.monotonic()
    with pytest.raises(JobCancelled):
        call_interruptibly(lambda: let_go.wait(20), should_cancel=lambda: True)
    assert time.monotonic() - began < 2
    let_go.set()


def test_cancelled_future_is_told() -> None:
    outcome: Future[None] = Future()
    with pytest.raises(JobCancelled):
        wait_interruptibly(outcome, should_cancel=lambda: True)
    assert outcome.cancelled()
