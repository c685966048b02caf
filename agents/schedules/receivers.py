"""What schedules do when a run is over: take down how their report ended."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from agents.models import AgentRun
from agents.schedules.asking import note_outcome
from agents.signals import run_finished


@receiver(run_finished)
def note_report(run: AgentRun, **_: Any) -> None:
    """Note the end of a report."""
    note_outcome(run)
