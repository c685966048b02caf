"""Usage as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from agents.models import ModelUsage
from agents.spending.report import asking_names
from core.csv_cells import csv_line

COLUMNS = (
    *("time", "person", "agent", "model", "purpose", "run"),
    *("input_tokens", "output_tokens", "cached_tokens", "cost", "currency"),
)


def usage_csv(rows: QuerySet[ModelUsage], *, currency: str) -> Iterator[str]:
    """Yield the lines of the file, the heads first, the newest call first."""
    yield csv_line(COLUMNS)
    askers = asking_names(rows)
    found = rows.select_related("user", "agent").order_by("-created_at", "-pk")
    for row in found.iterator(chunk_size=1000):
        yield csv_line(
            [
                row.created_at.isoformat(timespec="seconds"),
                row.user.email if row.user else askers.get(row.asking_space_id or 0, ""),
                row.agent.name if row.agent else "",
                row.model_name,
                row.purpose,
                str(row.run_id or row.asking_run_id or ""),
                row.input_tokens,
                row.output_tokens,
                row.cached_tokens,
                f"{row.cost:f}",
                currency,
            ]
        )
