"""Use cases of schedules: make, change, pause, delete, ask now. Only their own person may."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone as clock
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from agents.models import AgentRun, AgentSchedule
from agents.queries import get_agent
from agents.schedules.asking import ask_now
from agents.schedules.times import check_cron, next_time
from core.errors import Invalid, LimitReached, NotFound
from core.names import clean_name
from knowledge.queries import get_base

MAX_SCHEDULES = 50
"""Of one person in a space."""


@dataclass(frozen=True, kw_only=True)
class ScheduleValues:
    """A schedule as it was entered."""

    name: str
    question: str
    agent_id: UUID
    cron: str
    timezone: str = "UTC"
    base_ids: tuple[UUID, ...] = ()


def list_schedules(actor: Actor) -> QuerySet[AgentSchedule]:
    """Return the actor's schedules by name."""
    return visible(actor, "view", AgentSchedule.objects.select_related("agent")).order_by("name")


def get_schedule(actor: Actor, schedule_id: UUID) -> AgentSchedule:
    """Return one of the actor's schedules.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    found = list_schedules(actor).filter(pk=schedule_id).first()
    if found is None:
        raise NotFound(_("There is no such schedule."))
    return found


def create_schedule(actor: Actor, values: ScheduleValues) -> AgentSchedule:
    """Make a schedule; it is on at once.

    Raises:
        Invalid: a value cannot be used; `field` names it.
        NotFound: agent or base is none of the actor's.
        LimitReached: the person has 50 of them.
    """
    require(actor, "create", AgentSchedule)
    if actor.user_id is None:
        raise Invalid(_("Only a person can have a schedule."))
    schedule = AgentSchedule(space_id=actor.space_id, user_id=actor.user_id)
    _fill(actor, schedule, values)
    with transaction.atomic():
        if AgentSchedule.objects.filter(user_id=actor.user_id).count() >= MAX_SCHEDULES:
            raise LimitReached(
                _("You have %(limit)s schedules, the most that one person may have.")
                % {"limit": MAX_SCHEDULES}
            )
        schedule.save(force_insert=True)
    return schedule


def change_schedule(actor: Actor, *, schedule_id: UUID, values: ScheduleValues) -> AgentSchedule:
    """Change a schedule; its failures are forgotten and its next time counts from now.

    Raises:
        NotFound, Invalid: as for `create_schedule`.
    """
    with transaction.atomic():
        schedule = _locked(actor, schedule_id)
        _fill(actor, schedule, values)
        schedule.failures, schedule.last_problem = 0, ""
        schedule.save()
    return schedule


def set_enabled(actor: Actor, *, schedule_id: UUID, is_enabled: bool) -> AgentSchedule:
    """Pause a schedule, or let it go on from now.

    Raises:
        NotFound: it is none of the actor's.
    """
    with transaction.atomic():
        schedule = _locked(actor, schedule_id)
        schedule.is_enabled = is_enabled
        schedule.next_at = _next(schedule) if is_enabled else None
        if is_enabled:
            schedule.failures, schedule.last_problem = 0, ""
        schedule.save()
    return schedule


def run_schedule(actor: Actor, *, schedule_id: UUID) -> AgentRun:
    """Ask a schedule's question now, whether it is on or not.

    Raises:
        NotFound: it is none of the actor's, or its agent or a base is gone.
    """
    schedule = get_schedule(actor, schedule_id)
    require(actor, "change", schedule)
    return ask_now(actor, schedule)


def delete_schedule(actor: Actor, *, schedule_id: UUID) -> None:
    """Delete a schedule; its reports stay.

    Raises:
        NotFound: it is none of the actor's.
    """
    with transaction.atomic():
        _locked(actor, schedule_id).delete()


def _locked(actor: Actor, schedule_id: UUID) -> AgentSchedule:
    require(actor, "change", get_schedule(actor, schedule_id))
    return AgentSchedule.objects.select_for_update().get(pk=schedule_id)


def _fill(actor: Actor, schedule: AgentSchedule, values: ScheduleValues) -> None:
    name, question = clean_name(values.name), values.question.replace("\x00", "").strip()
    if not name or len(name) > 120:
        raise Invalid(_("Give it a name of at most 120 characters."), field="name")
    if not question or len(question) > settings.MAX_QUESTION_CHARACTERS:
        raise Invalid(
            _("Write a question of at most %(limit)s characters.")
            % {"limit": f"{settings.MAX_QUESTION_CHARACTERS:,}"},
            field="question",
        )
    agent = get_agent(actor, values.agent_id)
    for base_id in values.base_ids:
        require(actor, "use", get_base(actor, base_id))
    schedule.name, schedule.question, schedule.agent = name, question, agent
    schedule.base_ids = [str(base_id) for base_id in values.base_ids]
    schedule.cron = check_cron(values.cron, timezone=values.timezone, now=clock.now())
    schedule.timezone = values.timezone
    schedule.next_at = _next(schedule) if schedule.is_enabled else None


def _next(schedule: AgentSchedule) -> datetime | None:
    return next_time(schedule.cron, timezone=schedule.timezone, after=clock.now())
