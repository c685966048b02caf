"""A run that a budget stopped is gone on with when the budget allows it again."""

from __future__ import annotations

import pytest
from django.urls import reverse

from agents.engine.testing import call, calls
from agents.models import AgentRun, Budget
from agents.spending.budgets import change_budget
from agents.spending.continuing import can_continue, continue_run
from core.errors import Conflict, LimitReached, NotFound
from tests.agents.runs.conftest import carry_out, put, seq_is_whole, types_of
from tests.agents.spending.conftest import Play, budget, ended, using
from tests.personas import Persona


@pytest.fixture
def stopped(asker: Persona, script: Play) -> AgentRun:
    """A run that was stopped after its first round, with a budget of 120 tokens."""
    budget(asker.space.pk, max_tokens=120)
    search = calls(call("get_document_info", document_ids=["d1"]))
    script([[*search[:-1], *using("")[-1:]]])
    run = put(asker, "Why do flaps stick?")
    carry_out()
    return ended(run)


def raise_budget(adam: Persona, *, max_tokens: int | None = 10_000) -> None:
    change_budget(
        adam.actor, budget_id=Budget.objects.get().pk, max_tokens=max_tokens, max_cost=None
    )


def test_it_goes_on_with_what_was_found_when_the_budget_is_raised(
    asker: Persona, adam: Persona, stopped: AgentRun, script: Play
) -> None:
    assert stopped.outcome == "limit_reached"
    raise_budget(adam)
    model = script([using("Because of ice.")])
    run = continue_run(asker.actor, run_id=stopped.pk)
    carry_out()
    assert ended(run).outcome == "answered"
    assert run.answer is not None
    assert run.answer.text == "Because of ice."
    roles = [message.role for message in model.asked[0]]
    assert roles[-2:] == ["assistant", "tool"], "the first round's call and its result"
    assert (run.usage["input_tokens"], run.question.text) == (100, "Continue")
    assert seq_is_whole(run)
    assert types_of(stopped)[-1] == "run_finished"


def test_it_waits_for_the_budget(asker: Persona, stopped: AgentRun) -> None:
    assert can_continue(stopped)
    with pytest.raises(LimitReached, match="120 of 120 tokens"):
        continue_run(asker.actor, run_id=stopped.pk)
    assert AgentRun.objects.count() == 1


def test_it_goes_on_once(asker: Persona, adam: Persona, stopped: AgentRun, script: Play) -> None:
    raise_budget(adam)
    continue_run(asker.actor, run_id=stopped.pk)
    with pytest.raises(Conflict):
        continue_run(asker.actor, run_id=stopped.pk)
    assert AgentRun.objects.count() == 2


def test_an_answered_run_is_not_gone_on_with(asker: Persona, script: Play) -> None:
    script([using("Yes.")])
    run = put(asker, "Why?")
    carry_out()
    with pytest.raises(Conflict):
        continue_run(asker.actor, run_id=run.pk)


def test_nobody_else_goes_on_with_it(adam: Persona, stopped: AgentRun) -> None:
    with pytest.raises(NotFound):
        continue_run(adam.actor, run_id=stopped.pk)


def test_the_chat_and_the_page_of_the_run_offer_it(
    asker: Persona, adam: Persona, stopped: AgentRun
) -> None:
    address = reverse("run_continue", args=[stopped.pk])
    chat = reverse("conversation", args=[stopped.conversation_id])
    assert f'hx-post="{address}"' in asker.client.get(chat).content.decode()
    assert address in asker.client.get(reverse("run", args=[stopped.pk])).content.decode()
    raise_budget(adam)
    assert asker.client.post(address).headers["Location"] == chat
    assert AgentRun.objects.count() == 2


def test_what_is_refused_is_said_on_the_page(asker: Persona, stopped: AgentRun) -> None:
    answer = asker.client.post(reverse("run_continue", args=[stopped.pk]), follow=True)
    assert "120 of 120 tokens" in answer.content.decode()
    assert AgentRun.objects.count() == 1
