"""Pages of schedules: made, changed, paused, asked now, deleted by their person."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from agents.models import Agent, AgentRun, AgentSchedule
from tests.agents.schedules.conftest import plan, stored
from tests.factories.knowledge import make_base
from tests.personas import Persona


def entered(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Morning report",
        "question": "What is new?",
        "agent": str(Agent.objects.get().pk),
        "kind": "weekdays",
        "at": "07:30",
        "timezone": "Europe/Berlin",
        **fields,
    }


def test_a_schedule_is_made_with_the_form(asker: Persona) -> None:
    base = make_base(asker.space)
    answer = asker.client.post(reverse("schedule_new"), entered(bases=[str(base.pk)]))
    assert answer.status_code == 302
    made = AgentSchedule.objects.get()
    assert (made.cron, made.timezone, made.base_ids) == (
        "30 7 * * 1-5",
        "Europe/Berlin",
        [str(base.pk)],
    )
    assert made.next_at is not None
    text = asker.client.get(reverse("schedules")).content.decode()
    assert "Monday to Friday, 07:30" in text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"kind": "cron", "cron": "* * * * *"}, "At most once in 15 minutes"),
        ({"kind": "cron", "cron": "soon"}, "five fields"),
        ({"timezone": "Mars"}, "There is no time zone"),
        ({"name": ""}, "This field is required"),
    ],
    ids=["too often", "no line", "Mars", "no name"],
)
def test_what_cannot_be_used_is_told_at_its_field(
    asker: Persona, fields: dict[str, Any], says: str
) -> None:
    answer = asker.client.post(reverse("schedule_new"), entered(**fields))
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not AgentSchedule.objects.exists()


def test_the_next_three_times_are_shown_before_it_is_saved(asker: Persona) -> None:
    text = asker.client.post(reverse("schedule_preview"), entered(kind="daily")).content.decode()
    assert text.count("<li>") == 3
    assert text.count("07:30</time>") == 3
    wrong = entered(kind="cron", cron="soon")
    assert "five fields" in asker.client.post(reverse("schedule_preview"), wrong).content.decode()
    assert asker.client.post(reverse("schedule_preview"), {}).status_code == 200


def test_the_form_begins_with_what_is_stored(asker: Persona) -> None:
    schedule = plan(asker, cron="15 9 * * 3")
    text = asker.client.get(reverse("schedule", args=[schedule.pk])).content.decode()
    assert '<option value="weekly" selected>' in text
    assert 'value="09:15"' in text
    answer = asker.client.post(reverse("schedule", args=[schedule.pk]), entered(kind="daily"))
    assert answer.status_code == 302
    assert stored(schedule).cron == "30 7 * * *"


def test_it_is_paused_and_goes_on(asker: Persona) -> None:
    schedule = plan(asker)
    address = reverse("schedule_switch", args=[schedule.pk])
    asker.client.post(address)
    assert (stored(schedule).is_enabled, stored(schedule).next_at) == (False, None)
    asker.client.post(address, {"enabled": "on"})
    assert stored(schedule).next_at is not None


def test_ask_now_leads_to_the_answer(asker: Persona) -> None:
    schedule = plan(asker)
    answer = asker.client.post(reverse("schedule_run", args=[schedule.pk]))
    run = AgentRun.objects.get()
    assert answer.headers["Location"] == reverse("conversation", args=[run.conversation_id])
    assert run.conversation.title in asker.client.get(reverse("schedules")).content.decode()


def test_it_is_deleted(asker: Persona) -> None:
    schedule = plan(asker)
    asker.client.post(reverse("schedule_delete", args=[schedule.pk]))
    assert not AgentSchedule.objects.exists()


def test_trouble_is_shown_with_its_reason(asker: Persona) -> None:
    plan(asker)
    AgentSchedule.objects.update(is_enabled=False, last_problem="The key was refused.")
    assert "The key was refused." in asker.client.get(reverse("schedules")).content.decode()
