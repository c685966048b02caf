"""Budgets and schedules for tests. Each function opens the space of what it makes."""

from __future__ import annotations

from typing import Any

from accounts.models import Space, User
from agents.models import Agent, AgentSchedule, Budget
from core.tenancy import space_scope


def make_budget(space: Space, **fields: Any) -> Budget:
    """Limit what the space spends in a month, by default so high that nobody meets it."""
    values = {"subject": "space", "period": "month", "max_tokens": 10**12, **fields}
    with space_scope(space.pk):
        return Budget.objects.create(space=space, **values)


def make_schedule(space: Space, *, user: User, agent: Agent, **fields: Any) -> AgentSchedule:
    """Make a schedule of every day at eight that is not due."""
    values = {"name": "Report", "question": "What is new?", "cron": "0 8 * * *", **fields}
    with space_scope(space.pk):
        return AgentSchedule.objects.create(space=space, user=user, agent=agent, **values)
