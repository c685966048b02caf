"""Schedules for tests; runs are those of `tests.agents.runs`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.models import Agent, AgentSchedule
from agents.schedules.keeper import ask_due
from agents.schedules.services import ScheduleValues, create_schedule
from tests.agents.runs.conftest import asker, no_broker, script
from tests.personas import Persona


def plan(asker: Persona, **fields: Any) -> AgentSchedule:
    """Make a schedule of every day at eight."""
    values = {
        "name": "Morning report",
        "question": "What is new?",
        "agent_id": Agent.objects.get().pk,
        "cron": "0 8 * * *",
        **fields,
    }
    return create_schedule(asker.actor, ScheduleValues(**values))


def make_due(schedule: AgentSchedule, *, days: int = 0) -> None:
    """Let its time have come, or have been missed for some days."""
    at = timezone.now() - timedelta(days=days, seconds=1)
    AgentSchedule.objects.filter(pk=schedule.pk).update(next_at=at)


def stored(schedule: AgentSchedule) -> AgentSchedule:
    """Return the schedule as it is stored."""
    return AgentSchedule.objects.get(pk=schedule.pk)


__all__ = ["ask_due", "asker", "make_due", "no_broker", "plan", "script", "stored"]
