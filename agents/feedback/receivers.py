"""Looks, when a run is over, whether its question found an answer."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from agents.feedback.gathering import found_nothing
from agents.jobs import GATHER_UNANSWERED
from agents.models import AgentRun
from agents.signals import run_finished
from core.jobs.enqueue import enqueue


@receiver(run_finished)
def gather_later(run: AgentRun, **_: Any) -> None:
    """Have a question without an answer taken down by a job: a model embeds it."""
    if found_nothing(run):
        enqueue(GATHER_UNANSWERED, dedupe_key=str(run.pk), run_id=str(run.pk))
