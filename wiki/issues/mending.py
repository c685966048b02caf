"""A place for whoever can mend an issue: the app of agents fills it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from accounts.access import Actor

Mender = Callable[[Actor, UUID], str]
_menders: list[Mender] = []


def register_mender(address_of: Mender) -> None:
    """Say where an actor can have an issue mended; blank where they cannot."""
    _menders.append(address_of)


def mending_url(actor: Actor, issue_id: UUID) -> str:
    """Return where the actor can have the issue mended; blank: nowhere."""
    found = (address_of(actor, issue_id) for address_of in _menders)
    return next((url for url in found if url), "")
