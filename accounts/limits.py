"""How often a person or key may do what costs something: ask, search, upload.

Counted in whole windows, so that an answer can say when to come back. Log-in has its own limits and
lock-out (`accounts.login`), pages for strangers count addresses (`accounts.throttle`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import ngettext

from accounts.access import Actor
from core.errors import LimitReached

Limited = Literal["ask", "search", "upload", "api"]
WINDOW_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Counted:
    """How far this minute's are used up."""

    most: int
    used: int
    seconds_left: int
    """Until the next minute begins."""


def limit_actor(actor: Actor, action: Limited) -> None:
    """Count one more of `action`; 0 in the settings means no limit.

    Raises:
        LimitReached: this minute's are used up; `retry_after_seconds` says when the next begins.
    """
    counted = count_actor(actor, action)
    if counted is not None:
        refuse_beyond(counted)


def refuse_beyond(counted: Counted) -> None:
    """Return when there was still one.

    Raises:
        LimitReached: this minute's are used up; `retry_after_seconds` says when the next begins.
    """
    if counted.used > counted.most:
        raise LimitReached(
            _message(counted.most, counted.seconds_left),
            retry_after_seconds=counted.seconds_left,
        )


def count_actor(actor: Actor, action: Limited) -> Counted | None:
    """Count one more of `action`; None where nothing is limited."""
    most: int = settings.LIMITS_PER_MINUTE[action]
    if most == 0 or actor.kind == "system":
        return None
    now = time.time()
    window, passed = divmod(now, WINDOW_SECONDS)
    space_id = actor.home_space_id or actor.space_id
    key = f"limit:{action}:{space_id}:{actor.kind}:{actor.id}:{window:.0f}"
    cache.add(key, 0, timeout=WINDOW_SECONDS + 5)
    try:
        count = cache.incr(key)
    except ValueError:  # thrown out of the cache between the two calls
        return None
    return Counted(most=most, used=count, seconds_left=max(1, round(WINDOW_SECONDS - passed)))


def _message(most: int, wait: int) -> str:
    return ngettext(
        "You can do this once a minute. Try again in %(wait)s seconds.",
        "You can do this %(n)s times a minute. Try again in %(wait)s seconds.",
        most,
    ) % {"n": most, "wait": wait}
