"""Calls that cannot be stopped, such as a request to a service: we stop waiting for them instead."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from core.jobs.handlers import JobCancelled

R = TypeVar("R")
POLL_SECONDS = 0.2


def call_interruptibly(function: Callable[[], R], *, should_cancel: Callable[[], bool]) -> R:
    """Return what `function` returns, unless somebody cancels first.

    The function runs in a thread of its own, in the caller's context, and must not ask the
    database: the thread would keep a connection. After a cancellation it runs to its own time
    limit, and what it returns is thrown away.

    Raises:
        JobCancelled: `should_cancel` said so; asked a few times a second.
    """
    outcome: Future[R] = Future()
    context = contextvars.copy_context()
    threading.Thread(
        target=context.run, args=(_settle, outcome, function), name="interruptible", daemon=True
    ).start()
    return wait_interruptibly(outcome, should_cancel=should_cancel)


def wait_interruptibly(outcome: Future[R], *, should_cancel: Callable[[], bool]) -> R:
    """Return the future's result; cancel it when somebody cancels first.

    Raises:
        JobCancelled: `should_cancel` said so.
    """
    done = threading.Event()
    outcome.add_done_callback(lambda _: done.set())
    while not done.wait(POLL_SECONDS):
        if should_cancel():
            outcome.cancel()
            raise JobCancelled("Canceled.")
    return outcome.result()


def _settle(outcome: Future[R], function: Callable[[], R]) -> None:
    try:
        result = function()
    except BaseException as error:  # noqa: BLE001  it is the waiting thread's to handle
        if outcome.set_running_or_notify_cancel():
            outcome.set_exception(error)
    else:
        if outcome.set_running_or_notify_cancel():
            outcome.set_result(result)
