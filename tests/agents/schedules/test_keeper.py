"""Due schedules are asked once, with the rights their person has now; trouble is told."""

from __future__ import annotations

from collections.abc import Callable

from django.core import mail
from django.db import connection, connections
from django.utils import timezone

from accounts.models import Membership
from agents.constants import RunState
from agents.engine.testing import ScriptedModel, say
from agents.models import Agent, AgentRun, AgentSchedule, Conversation
from agents.schedules.asking import MAX_FAILURES
from agents.schedules.services import set_enabled
from agents.services.conversations import Question, ask
from core.tenancy import space_scope
from providers.contracts.errors import ModelError
from tests.agents.runs.conftest import Script, carry_out
from tests.agents.schedules.conftest import ask_due, make_due, plan, stored
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]


def test_a_due_schedule_becomes_a_conversation_of_its_person(asker: Persona, script: Play) -> None:
    schedule = plan(asker)
    make_due(schedule)
    script([say("Nothing new.")])
    assert ask_due() == 1
    carry_out()
    conversation = Conversation.objects.get()
    assert conversation.title.startswith("Morning report · ")
    assert (conversation.user, conversation.schedule_id) == (asker.user, schedule.pk)
    run = AgentRun.objects.get()
    assert (run.question.text, run.outcome) == ("What is new?", "answered")
    after = stored(schedule)
    assert after.last_at is not None
    assert after.next_at is not None
    assert after.next_at > timezone.now()


def test_what_is_not_due_is_not_asked(asker: Persona) -> None:
    plan(asker)
    assert ask_due() == 0
    assert not AgentRun.objects.exists()


def test_times_that_were_missed_are_caught_up_once(asker: Persona) -> None:
    make_due(plan(asker), days=9)
    assert (ask_due(), ask_due()) == (1, 0)
    assert AgentRun.objects.count() == 1


def test_two_housekeepers_ask_once(asker: Persona) -> None:
    schedule = plan(asker)
    make_due(schedule)
    other = connection.copy()
    try:
        connections["other"] = other
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM agents_agentschedule WHERE id = %s FOR UPDATE", [schedule.pk]
            )
        assert ask_due() == 0, "the other one has it"
    finally:
        other.rollback()
        other.close()
        del connections["other"]
    assert ask_due() == 1


def test_it_is_left_out_while_the_last_report_is_in_the_making(asker: Persona) -> None:
    schedule = plan(asker)
    make_due(schedule)
    ask_due()
    make_due(schedule)
    assert ask_due() == 0
    after = stored(schedule)
    assert "not ready yet" in after.last_problem
    assert (after.failures, after.is_enabled) == (0, True)


def test_who_left_the_space_gets_no_report_and_is_told(asker: Persona) -> None:
    schedule = plan(asker)
    make_due(schedule)
    Membership.objects.filter(user=asker.user).delete()
    assert ask_due() == 0
    after = stored(schedule)
    assert (after.is_enabled, after.next_at) == (False, None)
    assert "no longer a member" in after.last_problem
    assert [each.to for each in mail.outbox] == [[asker.user.email]]
    assert "Morning report" in mail.outbox[0].subject


def test_an_agent_that_was_switched_off_stops_it_with_a_reason(asker: Persona) -> None:
    schedule = plan(asker)
    make_due(schedule)
    Agent.objects.update(is_enabled=False)
    ask_due()
    assert (stored(schedule).is_enabled, stored(schedule).last_problem) == (
        False,
        "Its agent was turned off.",
    )


def test_a_base_that_was_closed_counts_as_a_failure(asker: Persona) -> None:
    base = make_base(asker.space)
    schedule = plan(asker, base_ids=(base.pk,))
    base.delete()
    make_due(schedule)
    assert ask_due() == 0
    after = stored(schedule)
    assert (after.failures, after.is_enabled) == (1, True)
    assert after.last_problem
    assert not Conversation.objects.exists(), "no empty report is left"


def test_five_failures_in_a_row_switch_it_off(asker: Persona, script: Play) -> None:
    schedule = plan(asker)
    script([[ModelError("auth", "The key was refused.")]] * MAX_FAILURES)
    for number in range(1, MAX_FAILURES + 1):
        make_due(schedule)
        ask_due()
        carry_out()
        assert stored(schedule).failures == number
    after = stored(schedule)
    assert not after.is_enabled
    assert "5 times in a row" in after.last_problem
    assert "The key was refused." in after.last_problem
    assert len(mail.outbox) == 1


def test_an_answer_forgets_the_failures(asker: Persona, script: Play) -> None:
    schedule = plan(asker)
    AgentSchedule.objects.update(failures=4, last_problem="Down.")
    make_due(schedule)
    script([say("Fine.")])
    ask_due()
    carry_out()
    assert (stored(schedule).failures, stored(schedule).last_problem) == (0, "")


def test_questions_behind_a_report_do_not_count(asker: Persona, script: Play) -> None:
    schedule = plan(asker)
    make_due(schedule)
    script([say("Fine."), [ModelError("auth", "No.")]])
    ask_due()
    carry_out()
    conversation = Conversation.objects.get()
    ask(asker.actor, Question(text="And?"), conversation_id=conversation.pk)
    carry_out()
    assert AgentRun.objects.filter(state=RunState.FAILED).exists()
    assert stored(schedule).failures == 0


def test_a_paused_one_rests_and_goes_on_from_now(asker: Persona) -> None:
    schedule = plan(asker)
    make_due(schedule, days=3)
    set_enabled(asker.actor, schedule_id=schedule.pk, is_enabled=False)
    assert ask_due() == 0
    again = set_enabled(asker.actor, schedule_id=schedule.pk, is_enabled=True)
    assert again.next_at is not None
    assert again.next_at > timezone.now()


def test_schedules_of_all_spaces_are_asked(asker: Persona, mallory: Persona) -> None:
    from tests.factories.agents import make_agent

    make_due(plan(asker))
    agent = make_agent(mallory.space)
    make_model(mallory.space, type="chat", is_default=True)
    with space_scope(mallory.space.pk):
        theirs = plan(mallory, agent_id=agent.pk)
        make_due(theirs)
    assert ask_due() == 2
    with space_scope(mallory.space.pk):
        assert AgentRun.objects.get().user == mallory.user
