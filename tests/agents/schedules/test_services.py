"""A person's schedules are theirs alone."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from agents.models import AgentRun, AgentSchedule, Conversation
from agents.schedules import services
from agents.schedules.services import (
    ScheduleValues,
    change_schedule,
    delete_schedule,
    run_schedule,
    set_enabled,
)
from core.errors import Invalid, LimitReached, NotFound
from tests.agents.schedules.conftest import ask_due, plan, stored
from tests.factories.knowledge import make_base
from tests.personas import Persona


def test_it_can_be_asked_out_of_turn_and_keeps_its_time(asker: Persona) -> None:
    schedule = plan(asker)
    run = run_schedule(asker.actor, schedule_id=schedule.pk)
    assert run.conversation.title.startswith("Morning report")
    assert stored(schedule).next_at == schedule.next_at
    assert ask_due() == 0


def test_reports_stay_when_it_is_deleted(asker: Persona) -> None:
    schedule = plan(asker)
    run_schedule(asker.actor, schedule_id=schedule.pk)
    delete_schedule(asker.actor, schedule_id=schedule.pk)
    assert Conversation.objects.get().schedule_id is None


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"name": " "}, Invalid),
        ({"question": " "}, Invalid),
        ({"question": "x" * 20_001}, Invalid),
        ({"cron": "* * * * *"}, Invalid),
        ({"timezone": "Mars"}, Invalid),
        ({"agent_id": uuid4()}, NotFound),
        ({"base_ids": (uuid4(),)}, NotFound),
    ],
    ids=["no name", "no question", "long", "every minute", "Mars", "no agent", "no base"],
)
def test_what_cannot_be_a_schedule_is_refused(
    asker: Persona, fields: dict[str, Any], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        plan(asker, **fields)
    assert not AgentSchedule.objects.exists()


def test_a_change_forgets_old_trouble(asker: Persona) -> None:
    schedule = plan(asker)
    AgentSchedule.objects.update(failures=3, last_problem="Down.")
    values = ScheduleValues(
        name="Evening report", question="And now?", agent_id=schedule.agent_id, cron="0 20 * * *"
    )
    changed = change_schedule(asker.actor, schedule_id=schedule.pk, values=values)
    assert (changed.name, changed.failures, changed.last_problem) == ("Evening report", 0, "")
    assert changed.next_at != schedule.next_at


def test_nobody_else_reaches_it_not_even_the_owner(asker: Persona, olivia: Persona) -> None:
    schedule = plan(asker)
    for use in (run_schedule, delete_schedule):
        with pytest.raises(NotFound):
            use(olivia.actor, schedule_id=schedule.pk)
    with pytest.raises(NotFound):
        set_enabled(olivia.actor, schedule_id=schedule.pk, is_enabled=False)
    assert not AgentRun.objects.exists()


def test_a_person_has_so_many_and_no_more(asker: Persona, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_SCHEDULES", 1)
    plan(asker, base_ids=(make_base(asker.space).pk,))
    with pytest.raises(LimitReached):
        plan(asker)
