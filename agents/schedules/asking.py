"""Asks a schedule's question, and takes down what became of it.

A report is a conversation of the schedule's person, asked with their present rights. What cannot be
asked or answered counts as a failure; after five in a row, or when it can never work again, the
schedule is switched off and its person is told.
"""

from __future__ import annotations

import logging
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.actors import actor_of
from accounts.notices.mail import send_mail
from agents.constants import OPEN_RUN_STATES, RunState
from agents.models import AgentRun, AgentSchedule, Conversation
from agents.schedules.times import next_time, zone_of
from agents.services.conversations import Question, ask, create_conversation
from core.errors import NotFound, ProjectError

logger = logging.getLogger(__name__)
MAX_FAILURES = 5


def ask_when_due(schedule: AgentSchedule) -> AgentRun | None:
    """Ask a locked, due schedule and set its next time, all in the caller's transaction.

    A time that was missed is caught up once: the next one counts from now.
    """
    now = timezone.now()
    schedule.next_at = next_time(schedule.cron, timezone=schedule.timezone, after=now)
    if _is_running(schedule):
        schedule.last_problem = _("The last report was not ready yet, so this time was left out.")
        schedule.save()
        return None
    try:
        actor = actor_of(schedule.user, space_id=schedule.space_id)
    except NotFound:
        switch_off(schedule, _("You are no longer a member of the space."))
        return None
    if not schedule.agent.is_enabled:
        switch_off(schedule, _("Its agent was turned off."))
        return None
    return _ask(actor, schedule)


def ask_now(actor: Actor, schedule: AgentSchedule) -> AgentRun:
    """Ask a schedule's question out of turn; its next time stays.

    Raises:
        ProjectError: it cannot be asked; says why.
    """
    at = timezone.now().astimezone(zone_of(schedule.timezone))
    title = f"{schedule.name[:150]} · {date_format(at, 'DATETIME_FORMAT')}"
    with transaction.atomic():
        conversation = create_conversation(actor, title=title)
        Conversation.objects.filter(pk=conversation.pk).update(schedule=schedule)
        question = Question(
            text=schedule.question,
            agent_id=schedule.agent_id,
            base_ids=tuple(_base_ids(schedule)),
        )
        return ask(actor, question, conversation_id=conversation.pk)


def note_outcome(run: AgentRun) -> None:
    """Take down how a report ended; only the first answer of its conversation is one."""
    schedule_id = run.conversation.schedule_id
    if schedule_id is None or run.question.position != 0:
        return
    with transaction.atomic():
        schedule = AgentSchedule.objects.select_for_update().filter(pk=schedule_id).first()
        if schedule is None:
            return
        if run.state == RunState.FAILED:
            _failed(schedule, run.reason)
        elif run.state == RunState.DONE:
            schedule.failures = 0
            schedule.last_problem = "" if run.outcome == "answered" else run.reason[:500]
            schedule.save(update_fields=["failures", "last_problem"])


def switch_off(schedule: AgentSchedule, reason: str) -> None:
    """Stop a schedule for a reason that its person reads on the page and in a mail."""
    schedule.is_enabled, schedule.next_at = False, None
    schedule.last_problem = reason[:500]
    schedule.save()
    transaction.on_commit(partial(_tell, schedule.user.email, schedule.name, reason))


def _tell(address: str, name: str, reason: str) -> None:
    context = {"schedule": name, "reason": reason}
    send_mail(to=address, template="notices/schedule_off.txt", context=context)


def _ask(actor: Actor, schedule: AgentSchedule) -> AgentRun | None:
    schedule.last_at = timezone.now()
    try:
        with transaction.atomic():
            run = ask_now(actor, schedule)
    except ProjectError as refusal:
        _failed(schedule, refusal.message)
        return None
    schedule.save()
    return run


def _failed(schedule: AgentSchedule, reason: str) -> None:
    schedule.failures += 1
    schedule.last_problem = reason[:500]
    logger.info("Schedule %s failed %s times: %s", schedule.pk, schedule.failures, reason)
    if schedule.failures >= MAX_FAILURES and schedule.is_enabled:
        told = _("It failed %(n)s times in a row. The last time: %(reason)s")
        switch_off(schedule, told % {"n": schedule.failures, "reason": reason})
    else:
        schedule.save()


def _is_running(schedule: AgentSchedule) -> bool:
    runs = AgentRun.objects.filter(conversation__schedule=schedule, state__in=OPEN_RUN_STATES)
    return runs.exists()


def _base_ids(schedule: AgentSchedule) -> list[UUID]:
    return [UUID(each) for each in schedule.base_ids]
