"""Limits how many background calls of one model run at once, over all processes.

A place is a member of a sorted set in Redis with the time its lease ends as score. The holder
renews the lease; a killed worker's place is free again after `LEASE_SECONDS`. People's calls never
ask for a place. When Redis can't be reached the call is made anyway: the limit protects a model,
it must not stop the work.
"""

from __future__ import annotations

import logging
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import redis
from django.conf import settings

from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)

LEASE_SECONDS = 30.0
WAIT_SECONDS = 300.0
_POLL_SECONDS = 0.05
_LONGEST_POLL_SECONDS = 0.5

# Redis' own clock: the machines of the workers need not agree on the time.
_TAKE = """
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms)
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == false
   and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  return 0
end
redis.call('ZADD', KEYS[1], ms + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], 2 * tonumber(ARGV[3]))
return 1
"""


@contextmanager
def background_slot(
    key: str,
    *,
    limit: int,
    wait_seconds: float = WAIT_SECONDS,
    lease_seconds: float = LEASE_SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[None]:
    """Hold one of the model's `limit` places during the block.

    Args:
        key: names the model.
        limit: how many places it has.
        wait_seconds: how long to wait for one.
        lease_seconds: after how long a dead holder's place is free.
        cancelled: asked while waiting; True ends the wait.

    Raises:
        ModelError: there was no place for `wait_seconds`, or the wait was cancelled (retryable).
    """
    slot = _Slot(key, limit=limit, lease_seconds=lease_seconds)
    slot.wait(wait_seconds, cancelled)
    try:
        with _renewed(slot):
            yield
    finally:
        slot.give_back()


class _Slot:
    """One holder's claim."""

    def __init__(self, key: str, *, limit: int, lease_seconds: float) -> None:
        self.lease_seconds = lease_seconds
        self._name = f"model-places:{key}"
        self._token = uuid.uuid4().hex
        self._limit = limit

    def wait(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        deadline = time.monotonic() + seconds
        pause = _POLL_SECONDS
        while not self.take():
            if cancelled():
                raise ModelError("overloaded", "The wait for the model was canceled.")
            if time.monotonic() > deadline:
                raise ModelError(
                    "overloaded", f"The model had no free place for {seconds:.0f} seconds."
                )
            # Jitter: waiters that began together should not ask together for ever.
            time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 -- not a secret
            pause = min(pause * 1.5, _LONGEST_POLL_SECONDS)

    def take(self) -> bool:
        """Take or renew the place; say whether it is held."""
        lease_ms = int(self.lease_seconds * 1000)
        try:
            return bool(_script()(keys=[self._name], args=[self._token, self._limit, lease_ms]))
        except redis.RedisError as error:
            logger.warning("no limit on model calls, Redis fails: %s", type(error).__name__)
            return True

    def give_back(self) -> None:
        try:
            _redis().zrem(self._name, self._token)
        except redis.RedisError:
            logger.debug("a model's place ends with its lease")


@contextmanager
def _renewed(slot: _Slot) -> Iterator[None]:
    """Renew the lease from a thread until the block ends."""
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(slot.lease_seconds / 3):
            slot.take()

    thread = threading.Thread(target=renew, name="model-place", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _redis() -> redis.Redis:
    return _client(settings.REDIS_URL)


def _script() -> Any:
    return _registered(settings.REDIS_URL)


@lru_cache(maxsize=4)
def _client(url: str) -> redis.Redis:
    """Opened lazily: a forked worker makes its own connections."""
    return redis.Redis.from_url(
        url, socket_connect_timeout=2.0, socket_timeout=5.0, health_check_interval=30
    )


@lru_cache(maxsize=4)
def _registered(url: str) -> Any:
    return _client(url).register_script(_TAKE)
