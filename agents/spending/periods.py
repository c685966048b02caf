"""When a budget's period began and when the next one begins, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agents.constants import BudgetPeriod


def began_at(period: str, now: datetime) -> datetime:
    """Return the first moment of the period in which `now` lies."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight if period == BudgetPeriod.DAY else midnight.replace(day=1)


def ends_at(period: str, now: datetime) -> datetime:
    """Return the first moment of the next period."""
    began = began_at(period, now)
    if period == BudgetPeriod.DAY:
        return began + timedelta(days=1)
    return (began + timedelta(days=32)).replace(day=1)
