"""Begins the check of an answer's sentences when its run is over."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from agents.jobs import CHECK_SENTENCES
from agents.models import AgentRun
from agents.signals import run_finished
from agents.verdicts.checking import is_checked
from core.jobs.enqueue import enqueue


@receiver(run_finished)
def check_sentences_later(run: AgentRun, **_: Any) -> None:
    """Let a job check the answer; the answer itself waits for nothing."""
    if is_checked(run):
        enqueue(CHECK_SENTENCES, dedupe_key=str(run.pk), run_id=str(run.pk))
