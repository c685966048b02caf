"""What the pages about the audit log show of an event, and its rows in files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.audit_words import OUTCOMES, words_for
from accounts.models import AuditEvent
from core.csv_cells import csv_line

COLUMNS = (
    "time",
    "actor_kind",
    "actor_id",
    "actor_name",
    "action",
    "outcome",
    "count",
    "target_type",
    "target_id",
    "target_name",
    "path",
    "ip_address",
    "base_id",
    "details",
)


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """One event of a page."""

    id: int
    at: datetime
    actor: str
    words: str
    action: str
    target: str
    outcome: str
    outcome_label: str
    tone: str
    count: int
    path: str
    ip_address: str
    attempted: str
    """What was tried and refused, such as `spaces.change`."""
    details: tuple[tuple[str, str], ...]
    """Name and value, both for people."""


def rows_of(events: Iterable[AuditEvent]) -> list[EventRow]:
    """Return events as the pages show them."""
    return [_row(event) for event in events]


def csv_head() -> str:
    """Return the first line of the file."""
    return csv_line(COLUMNS)


def csv_lines(events: Iterable[AuditEvent]) -> str:
    """Return events as lines of CSV; no cell is a formula for a spreadsheet."""
    return "".join(csv_line(map(_shown, _values(event))) for event in events)


def json_lines(events: Iterable[AuditEvent]) -> str:
    """Return events as lines of JSON."""
    return "".join(
        json.dumps(dict(zip(COLUMNS, _values(event), strict=True)), ensure_ascii=False) + "\n"
        for event in events
    )


def _row(event: AuditEvent) -> EventRow:
    return EventRow(
        id=event.pk,
        at=event.created_at,
        actor=event.actor_name or event.actor_kind,
        words=words_for(event.action),
        action=event.action,
        target=event.target_name,
        outcome=event.outcome,
        outcome_label=str(OUTCOMES.get(event.outcome, event.outcome)),
        tone={"refused": "warn", "failed": "bad"}.get(event.outcome, ""),
        count=event.count,
        path=event.path,
        ip_address=event.ip_address or "",
        attempted=str(event.details.get("attempted", "")),
        details=tuple(
            (name, _shown(value)) for name, value in event.details.items() if value is not None
        ),
    )


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _values(event: AuditEvent) -> list[Any]:
    return [
        event.created_at.isoformat(),
        event.actor_kind,
        event.actor_id,
        event.actor_name,
        event.action,
        event.outcome,
        event.count,
        event.target_type,
        event.target_id,
        event.target_name,
        event.path,
        event.ip_address or "",
        str(event.base_id or ""),
        event.details,
    ]
