"""Folds the delta rows of a finished run, so that an answer is a few rows and `seq` has no gap."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from agents.constants import OPEN_RUN_STATES
from agents.engine.events import parse_event
from agents.models import AgentRun, RunEvent
from agents.runs.store import Recorded, join_deltas_of_rows


def fold_answer(run_id: UUID) -> int:
    """Join neighbouring delta rows of a run that is over; return how many rows went."""
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().filter(pk=run_id).first()
        if run is None or run.state in OPEN_RUN_STATES:
            return 0
        rows = list(RunEvent.objects.filter(run=run).order_by("seq"))
        folded = join_deltas_of_rows(
            [Recorded(event=parse_event(row.data), seq_to=row.seq_to) for row in rows]
        )
        if len(folded) == len(rows):
            return 0
        by_seq = {row.seq: row for row in rows}
        kept = []
        for each in folded:
            row = by_seq[each.event.seq]
            row.seq_to, row.data = each.seq_to, each.event.model_dump(mode="json")
            kept.append(row)
        RunEvent.objects.filter(run=run).exclude(pk__in=[row.pk for row in kept]).delete()
        RunEvent.objects.bulk_update(kept, ["seq_to", "data"], batch_size=500)
        return len(rows) - len(kept)
