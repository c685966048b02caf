"""Erasures as their page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.models import Erasure


@dataclass(frozen=True, kw_only=True)
class ErasureRow:
    """One line of the list."""

    id: UUID
    title: str
    state_label: str
    tone: str
    """Of the badge: "ok", "warn", "bad" or "info"."""
    icon: str
    asked_by: str
    reason: str
    created_at: datetime
    counts: tuple[tuple[str, int], ...]
    """What was erased, by table and store."""
    remains: tuple[tuple[str, int], ...]
    """Where something is left, of what could be looked for."""
    is_checked: bool
    problem: str
    may_retry: bool


def erasure_rows(rows: Sequence[Erasure]) -> list[ErasureRow]:
    """Return the rows as the page shows them."""
    return [_row(row) for row in rows]


def _row(row: Erasure) -> ErasureRow:
    label, tone, icon = _state(row.state)
    return ErasureRow(
        id=row.pk,
        title=_title(row),
        state_label=label,
        tone=tone,
        icon=icon,
        asked_by=str(row.requested_by) if row.requested_by else "",
        reason=row.reason,
        created_at=row.created_at,
        counts=tuple(sorted(row.report.get("erased", {}).items())),
        remains=tuple(sorted(row.report.get("remains", {}).items())),
        is_checked=bool(row.report.get("checked")),
        problem=str(row.report.get("problem", "")) if row.state == "failed" else "",
        may_retry=row.state == "failed",
    )


def _state(state: str) -> tuple[str, str, str]:
    known = {
        "done": (_("Done"), "ok", "check"),
        "failed": (_("Failed"), "bad", "circle-alert"),
        "held": (_("Rejected: legal hold"), "warn", "lock"),
    }
    return known.get(state, (_("Under way"), "info", "loader-circle"))


def _title(row: Erasure) -> str:
    known = {
        "person": _("Person %(id)s"),
        "document": _("Document %(id)s"),
        "space": _("Space %(id)s"),
    }
    return known[row.kind] % {"id": row.subject_id}
