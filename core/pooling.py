"""When a pooled connection is asked whether it still lives.

Django asks at each checkout, and a process checks connections out for every few queries: that was one
in six statements of a run. A connection that answered a moment ago is taken as it is.
"""

from __future__ import annotations

from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from psycopg import Connection
from psycopg_pool import ConnectionPool

TRUSTED_SECONDS = 1.0
"""A server that restarts is away for longer: who meets it then has an error either way."""
_ask = ConnectionPool.check_connection
_answered_at: WeakKeyDictionary[Connection[Any], float] = WeakKeyDictionary()


def check_rested(connection: Connection[Any]) -> None:
    """Ask the connection whether it lives, unless it answered within the last second.

    Raises:
        psycopg.OperationalError: it does not; the pool makes another one.
    """
    now = monotonic()
    if now - _answered_at.get(connection, 0.0) >= TRUSTED_SECONDS:
        _ask(connection)
        _answered_at[connection] = now


def check_less_often() -> None:
    """Let the pools of this process check so; before the first of them is made."""
    # Django gives the pool this very function, and takes no other one as an option.
    ConnectionPool.check_connection = staticmethod(check_rested)  # type: ignore[assignment]  # a generic one
