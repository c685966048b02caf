"""Through which door the running piece of work came in: told by the door, read by the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Door:
    """A door, and who stands there."""

    path: str = ""
    """Method and template of the address, such as "POST /base/<uuid:base_id>/"; it holds no ids."""
    ip_address: str | None = None


_current: ContextVar[Callable[[], Door] | None] = ContextVar("door", default=None)


@contextmanager
def at_door(door: Callable[[], Door]) -> Iterator[None]:
    """Run the block as what came in by `door`, which is asked only when somebody wants to know."""
    token = _current.set(door)
    try:
        yield
    finally:
        _current.reset(token)


def current_door() -> Door:
    """Return the door; a blank one for jobs and commands."""
    door = _current.get()
    return door() if door is not None else Door()
