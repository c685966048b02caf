"""Values about tool calls that are stored: outcomes, waiting approvals, decisions."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agents.engine.aliases import Source
from agents.engine.events import ApprovalKind, Decided


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolOutcome(_Value):
    """How a call ended; what the journal keeps and a resumed run reuses."""

    call_id: str
    name: str
    ok: bool
    output: str
    """What the model reads."""
    summary: str = ""
    data: dict[str, Any] = Field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    """What the aliases in the output stand for."""
    duration_ms: int = 0
    error_code: str | None = None


class Decision(_Value):
    """What a person (or the clock) decided about one waiting call."""

    resolution: Decided
    decision_hash: str
    """As in the `ApprovalRequested` event; binds the decision to exactly that call."""
    arguments: dict[str, Any] | None = None
    """The edited arguments when the resolution is `edited`."""
    comment: str = ""
    """The reason, told to the model when the call is rejected."""


class PendingApproval(_Value):
    """A call that waits for a person, and later its decision."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    title: str
    kind: ApprovalKind
    reason: str
    risks: tuple[str, ...] = ()
    decision_hash: str
    timeout_seconds: float
    decision: Decision | None = None


def canonical_json(value: object) -> str:
    """Return the one text of a JSON value, whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def fingerprint(name: str, arguments: object, *more: str) -> str:
    """Return a hash that is equal for equal calls (and equal `more`, such as the principal)."""
    text = canonical_json([name, arguments, *more])
    return hashlib.sha256(text.encode()).hexdigest()
