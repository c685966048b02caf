"""Slows down the guessing of passwords, by account and by address.

After some failed tries in a row a pause begins, and each further one is longer. The account's pause
holds wherever the tries come from, and for addresses of nobody, too, so that it tells nothing. A try
counts before the password is looked at: tries sent at once cannot overtake the count.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from typing import Literal

from django.core.cache import cache

from accounts.signals import sign_in_locked

DAY_SECONDS = 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How many tries are free, and how long one pauses after them."""

    name: Literal["account", "address"]
    tries: int
    memory_seconds: int
    """Failed tries are forgotten when so much time has passed since the first of them."""
    first_pause_seconds: int = 300
    longest_pause_seconds: int = 3600

    def pause_seconds(self, number: int) -> int:
        """Return the length of the `number`th pause within a day: each is twice the one before."""
        doubled = self.first_pause_seconds << min(number - 1, 16)
        return min(doubled, self.longest_pause_seconds)


ACCOUNT = Rule(name="account", tries=5, memory_seconds=DAY_SECONDS)
ADDRESS = Rule(name="address", tries=50, memory_seconds=3600)
"""Many people may share an address; allauth's limit of ten failures a minute comes before this."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One try to sign in; made before the password is looked at."""

    email: str
    address: str

    def seconds_to_wait(self) -> int:
        """Count the try and return how long to wait; 0 when the password may be looked at."""
        return max(_count(rule, subject) for rule, subject in self._subjects())

    def failed(self) -> None:
        """Begin a pause when this was the last free try."""
        for rule, subject in self._subjects():
            if int(cache.get(_key(rule, subject, "tries"), 0)) >= rule.tries:
                _pause(rule, subject)

    def succeeded(self) -> None:
        """Forget the account's failures; the address gets back only this one try.

        Else somebody could guess others' passwords for ever by signing in with their own between.
        """
        unlock(self.email)
        try:
            cache.decr(_key(ADDRESS, self.address, "tries"))
        except ValueError:  # forgotten in the meantime
            return

    def _subjects(self) -> tuple[tuple[Rule, str], tuple[Rule, str]]:
        return (ACCOUNT, self.email), (ADDRESS, self.address)


def unlock(email: str) -> None:
    """End the account's pause and forget its failures: the password was reset, or an admin says so."""
    cache.delete_many([_key(ACCOUNT, email, part) for part in ("tries", "until", "pauses")])


def seconds_locked(email: str) -> int:
    """Return how long the account's pause lasts yet; 0 when there is none."""
    return _remaining(ACCOUNT, email)


def _count(rule: Rule, subject: str) -> int:
    remaining = _remaining(rule, subject)
    if remaining:
        return remaining
    if _add_one(_key(rule, subject, "tries"), rule.memory_seconds) > rule.tries:
        _pause(rule, subject)
        return _remaining(rule, subject)
    return 0


def _remaining(rule: Rule, subject: str) -> int:
    until = cache.get(_key(rule, subject, "until"))
    return max(0, math.ceil(until - time.time())) if until else 0


def _pause(rule: Rule, subject: str) -> None:
    """Begin the next pause, once for all tries that come at the same moment."""
    seconds = rule.pause_seconds(int(cache.get(_key(rule, subject, "pauses"), 0)) + 1)
    if not cache.add(_key(rule, subject, "until"), time.time() + seconds, timeout=seconds):
        return
    _add_one(_key(rule, subject, "pauses"), DAY_SECONDS)
    cache.delete(_key(rule, subject, "tries"))
    sign_in_locked.send(Rule, rule=rule.name, subject=subject, seconds=seconds)


def _add_one(key: str, timeout: int) -> int:
    cache.add(key, 0, timeout=timeout)
    try:
        return cache.incr(key)
    except ValueError:  # it was forgotten between the two calls
        cache.set(key, 1, timeout=timeout)
        return 1


def _key(rule: Rule, subject: str, part: str) -> str:
    # Hashed: what was typed into the field may be anything, even a password.
    digest = hashlib.sha256(subject.strip().lower().encode()).hexdigest()
    return f"lockout:{rule.name}:{part}:{digest}"
