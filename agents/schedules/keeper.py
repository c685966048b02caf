"""Housekeeping of schedules: asks what is due, from the rows alone; many may look at once."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import DatabaseError, transaction
from django.utils import timezone

from agents.models import AgentSchedule
from agents.schedules.asking import ask_when_due
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped

logger = logging.getLogger(__name__)
AT_ONCE = 100
"""Schedules asked in one round of housekeeping; the rest waits for the next, seconds later."""


def ask_due() -> int:
    """Ask every schedule whose time has come; return how many questions were put."""
    with unscoped(reason="housekeeping looks for due schedules of all spaces"):
        due = AgentSchedule.objects.filter(is_enabled=True, next_at__lte=timezone.now())
        found = list(due.order_by("next_at").values_list("pk", "space_id")[:AT_ONCE])
    asked = 0
    for schedule_id, space_id in found:
        with space_scope(space_id):
            try:
                asked += _ask_one(schedule_id)
            except DatabaseError:  # one row's trouble must not hold up the others
                logger.exception("Schedule %s could not be asked", schedule_id)
    return asked


def _ask_one(schedule_id: UUID) -> int:
    with transaction.atomic():
        schedule = (
            AgentSchedule.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("user", "agent")
            .filter(pk=schedule_id, is_enabled=True, next_at__lte=timezone.now())
            .first()
        )
        return 0 if schedule is None or ask_when_due(schedule) is None else 1


def _keep() -> None:
    ask_due()


register_keeper(_keep)
