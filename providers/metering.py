"""Calls of models that no run makes: whether they may be made, and who counts them.

Budgets and the usage page belong to an app above; it registers here how it refuses and how it counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from providers.contracts.chat import Usage
from providers.models import AIModel


@dataclass(frozen=True, kw_only=True)
class MeteredCall:
    """A call that was made."""

    space_id: int
    user_id: int | None
    """For whom; None: for the space."""
    model: AIModel
    usage: Usage
    purpose: str
    """One word."""


Gate = Callable[[int | None], str | None]
Meter = Callable[[MeteredCall], None]
_gates: list[Gate] = []
_meters: list[Meter] = []


def register_spending(*, gate: Gate, meter: Meter) -> None:
    """Let `gate(user_id)` say why no call may be made (None: it may), and `meter` count calls."""
    _gates.append(gate)
    _meters.append(meter)


def refusal_for(user_id: int | None) -> str | None:
    """Return why no model may be called for this person in the current space; None when it may."""
    return next((reason for gate in _gates if (reason := gate(user_id))), None)


def count(call: MeteredCall) -> None:
    """Have a call counted."""
    for meter in _meters:
        meter(call)
