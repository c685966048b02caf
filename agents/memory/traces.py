"""Takes what was recalled out of the stored state of runs: the memory page is its only home."""

from __future__ import annotations

import re
from collections.abc import Iterable
from uuid import UUID

from agents.constants import OPEN_RUN_STATES
from agents.models import AgentRun

_BLOCK = re.compile(
    r"\s*(?:<background_memory .*?</background_memory>|<memory_note>.*?</memory_note>)", re.S
)


def without_memory(context: str) -> str:
    """Return a runtime context without its blocks of memory."""
    return _BLOCK.sub("", context).strip()


def erase_from_runs(run_ids: Iterable[UUID]) -> int:
    """Erase recalled texts from runs that are over; an open one needs them until it ends."""
    rows = AgentRun.objects.filter(pk__in=set(run_ids)).exclude(state__in=OPEN_RUN_STATES)
    erased = 0
    for run in rows.only("pk", "space_id", "loop_state"):
        erased += erase_from_run(run)
    return erased


def erase_from_run(run: AgentRun) -> int:
    """Erase recalled texts from one run that is over; return 1 when there were any."""
    context = run.loop_state.get("runtime_context", "")
    kept = without_memory(context)
    if kept == context:
        return 0
    state = {**run.loop_state, "runtime_context": kept}
    return AgentRun.objects.filter(pk=run.pk).update(loop_state=state)
