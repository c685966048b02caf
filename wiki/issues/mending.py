"""A place for whoever can mend an issue: the app of agents fills it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from accounts.access import Actor

AddressOf = Callable[[UUID], str]
"""Where an issue is mended, by its id."""
Mender = Callable[[Actor], AddressOf | None]
_menders: list[Mender] = []


def register_mender(mender: Mender) -> None:
    """Say where an actor can have issues mended; None where they cannot."""
    _menders.append(mender)


def mender_for(actor: Actor) -> AddressOf | None:
    """Return where the actor can have issues mended; None: nowhere."""
    return next((found for each in _menders if (found := each(actor)) is not None), None)
