"""Questions behind an answer: made once, left out where a rule says so, from what may be seen."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone, translation

from agents.constants import SuggestionState
from agents.models import Agent, AgentRun, ModelUsage, SuggestionEvent, SuggestionSet
from agents.services.conversations import Question, ask
from agents.signals import run_finished
from agents.suggestions import follow_ups as module
from agents.suggestions.events import Attribution, Happening, record_events
from agents.suggestions.follow_ups import begin_follow_ups, make_follow_ups
from agents.suggestions.places import generate_follow_ups, get_follow_ups
from agents.suggestions.reading import Offered
from agents.suggestions.rules import asks_back
from core.errors import AccessDenied, Invalid, NotFound
from core.jobs.handlers import JobContext
from core.jobs.work import work
from core.models import BackgroundJob
from knowledge.models import Document
from providers.contracts.errors import ModelError
from providers.models import AIModel
from tests.agents.suggestions.conftest import (
    Writer,
    a_job,
    answered,
    cite,
    configure,
    model_says,
)
from tests.personas import Persona


def texts(offer: Offered | None) -> list[str]:
    assert offer is not None
    return [each.text for each in offer.questions]


def ready(persona: Persona, run: AgentRun) -> Offered | None:
    """Let the job make the questions and return what the person is offered."""
    row = begin_follow_ups(persona.actor, run, locale="en")
    if row is not None:
        make_follow_ups(a_job(), set_id=row.pk)
    assert run.answer_id is not None
    return get_follow_ups(persona.actor, message_id=run.answer_id)


def test_a_run_that_ends_begins_one_set_and_a_job_makes_it(
    asker: Persona, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(module, "publish_suggestions", lambda *ids: told.append(ids))
    run = answered(asker)
    for _ in range(2):
        run_finished.send(AgentRun, run=run)
    assert SuggestionSet.objects.get().state == SuggestionState.GENERATING
    model = writer(model_says("Who approves leave?", "Can leave be split?", "a", "b"))
    while work("default"):
        pass
    assert run.answer_id is not None
    offer = get_follow_ups(asker.actor, message_id=run.answer_id)
    assert texts(offer) == ["Who approves leave?", "Can leave be split?", "a"]
    assert offer is not None
    assert [each.key for each in offer.questions] == ["g1-1", "g1-2", "g1-3"]
    assert told == [(run.conversation_id, run.pk)]
    assert len(model.asked) == 1
    assert "Fourteen weeks." in model.asked[0][1].content
    usage = ModelUsage.objects.get()
    assert (usage.purpose, usage.agent_id) == ("suggestions", run.agent_id)


def test_agents_without_follow_ups_begin_none(asker: Persona) -> None:
    configure(enabled=False)
    run_finished.send(AgentRun, run=answered(asker))
    assert not SuggestionSet.objects.exists()


def test_two_workers_do_it_once(asker: Persona, writer: Writer) -> None:
    run = answered(asker)
    row = begin_follow_ups(asker.actor, run, locale="en")
    assert row is not None
    SuggestionSet.objects.update(lease_until=timezone.now() + timedelta(minutes=1))
    model = writer(model_says("Who approves leave?"))
    make_follow_ups(a_job(), set_id=row.pk)
    assert model.asked == []
    SuggestionSet.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    make_follow_ups(a_job(), set_id=row.pk)
    make_follow_ups(a_job(), set_id=row.pk)
    assert len(model.asked) == 1
    assert SuggestionSet.objects.get().state == SuggestionState.READY


def test_a_worker_that_lost_its_lease_writes_nothing(asker: Persona, writer: Writer) -> None:
    run = answered(asker)
    row = begin_follow_ups(asker.actor, run, locale="en")
    assert row is not None

    class Slow(JobContext):
        def check(self) -> None:
            SuggestionSet.objects.update(lease_until=timezone.now() + timedelta(hours=1))

    writer(model_says("Who approves leave?"))
    base = a_job()
    slow = Slow(job_id=base.job_id, space_id=0, attempt=1, lease_epoch=1, deadline=base.deadline)
    make_follow_ups(slow, set_id=row.pk)
    assert SuggestionSet.objects.get().state == SuggestionState.GENERATING


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"outcome": "fallback"}, "answered"),
        ({"answer": "Which country do you mean? [1]"}, "asks"),
        ({"answer": "您指的是哪个国家？**"}, "asks"),
        ({"outcome": "stopped"}, "not finished"),
        ({"is_extractive": True}, "answered"),
    ],
)
def test_rules_leave_them_out_with_a_reason(
    asker: Persona, fields: dict[str, Any], rule: str
) -> None:
    row = begin_follow_ups(asker.actor, answered(asker, **fields), locale="en")
    assert row is not None
    assert row.state == SuggestionState.SUPPRESSED
    assert rule in row.reason
    assert not BackgroundJob.objects.exists()


def test_rules_can_be_switched_off(asker: Persona) -> None:
    configure(suppress_on_fallback=False, suppress_when_answer_asks_question=False)
    row = begin_follow_ups(
        asker.actor, answered(asker, outcome="fallback", answer="Which one?"), locale="en"
    )
    assert row is not None
    assert row.state == SuggestionState.GENERATING


def test_a_question_in_the_middle_is_no_question_back() -> None:
    assert not asks_back("Why? Because the law says so.")
    assert asks_back("It depends. Which one do you mean?")


def test_what_fails_falls_back_on_the_sources(asker: Persona, writer: Writer) -> None:
    configure(mode="generated")
    run = answered(asker)
    cite(asker, run)
    writer(ModelError("overloaded", "The service is overloaded."))
    assert texts(ready(asker, run)) == ["What does “handbook” say about “Pay”?"]


def test_without_the_fallback_the_failure_is_told(asker: Persona, writer: Writer) -> None:
    configure(mode="generated", knowledge_fallback=False)
    run = answered(asker)
    cite(asker, run)
    writer(ModelError("overloaded", "The service is overloaded."))
    offer = ready(asker, run)
    assert offer is not None
    assert (offer.state, offer.questions) == (SuggestionState.FAILED, ())
    assert "overloaded" in offer.reason


def test_an_extractive_model_leaves_it_to_the_sources(asker: Persona) -> None:
    AIModel.objects.update(parameters={"extractive": True})
    run = answered(asker)
    cite(asker, run)
    assert texts(ready(asker, run)) == ["What does “handbook” say about “Pay”?"]


def test_curated_ones_come_first_and_nothing_twice(asker: Persona, writer: Writer) -> None:
    configure(items=["Who approves leave?", "How long is leave?"])
    writer(model_says("WHO approves leave", "Can leave be split?"))
    assert texts(ready(asker, answered(asker))) == ["Who approves leave?", "Can leave be split?"]


def test_what_one_may_not_see_any_more_is_not_offered(asker: Persona, writer: Writer) -> None:
    configure(items=["Who approves leave?"])
    run = answered(asker)
    document = cite(asker, run)
    writer(model_says("How is pay computed?"))
    assert texts(ready(asker, run)) == [
        "Who approves leave?",
        "How is pay computed?",
        "What does “handbook” say about “Pay”?",
    ]
    Document.objects.filter(pk=document.pk).update(state="deleting")
    assert run.answer_id is not None
    offer = get_follow_ups(asker.actor, message_id=run.answer_id)
    assert texts(offer) == ["Who approves leave?"]


def test_turns_with_hidden_sources_do_not_reach_the_model(asker: Persona, writer: Writer) -> None:
    run = answered(asker, answer="The merger is secret.")
    document = cite(asker, run)
    Document.objects.filter(pk=document.pk).update(state="deleting")
    model = writer(model_says())
    ready(asker, run)
    assert "merger" not in str(model.asked)


def test_another_configuration_gets_another_set(asker: Persona) -> None:
    run = answered(asker)
    begin_follow_ups(asker.actor, run, locale="en")
    configure(count=5)
    run.agent = Agent.objects.get()
    begin_follow_ups(asker.actor, run, locale="en")
    assert SuggestionSet.objects.count() == 2


def test_each_language_has_its_set_and_takes_anothers_until_then(
    asker: Persona, writer: Writer
) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    assert run.answer_id is not None
    with translation.override("de"):
        assert texts(get_follow_ups(asker.actor, message_id=run.answer_id)) == [
            "Who approves leave?"
        ]
    begin_follow_ups(asker.actor, run, locale="de")
    assert SuggestionSet.objects.count() == 2


def test_asking_twice_for_new_ones_makes_them_once(asker: Persona, writer: Writer) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    assert run.answer_id is not None
    for _ in range(2):
        generate_follow_ups(asker.actor, message_id=run.answer_id, again=True)
    row = SuggestionSet.objects.get()
    assert (row.generation, row.state) == (2, SuggestionState.GENERATING)
    writer(model_says("Can leave be split?"))
    make_follow_ups(a_job(), set_id=row.pk)
    offer = get_follow_ups(asker.actor, message_id=run.answer_id)
    assert texts(offer) == ["Can leave be split?"]
    assert SuggestionEvent.objects.filter(action="regenerate").count() == 1


def test_new_ones_only_where_the_agent_allows_it(asker: Persona) -> None:
    configure(allow_regenerate=False)
    run = answered(asker)
    begin_follow_ups(asker.actor, run, locale="en")
    assert run.answer_id is not None
    with pytest.raises(AccessDenied):
        generate_follow_ups(asker.actor, message_id=run.answer_id, again=True)


def test_nobody_else_gets_them(
    asker: Persona, writer: Writer, adam: Persona, mallory: Persona
) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    assert run.answer_id is not None
    row = SuggestionSet.objects.get()
    for other in (adam, mallory):
        with pytest.raises(NotFound):
            get_follow_ups(other.actor, message_id=run.answer_id)
        seen = [Happening(set_id=row.pk, action="impression")]
        assert record_events(other.actor, seen) == 0
    assert not SuggestionEvent.objects.exists()


def test_events_are_stored_once_and_a_closed_set_stays_closed(
    asker: Persona, writer: Writer
) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    row = SuggestionSet.objects.get()
    seen = Happening(set_id=row.pk, action="impression", key="g1-1")
    unknown = Happening(set_id=row.pk, action="impression", key="g9-1")
    assert record_events(asker.actor, [seen, seen, unknown]) == 1
    record_events(asker.actor, [Happening(set_id=row.pk, action="dismiss")])
    assert run.answer_id is not None
    assert get_follow_ups(asker.actor, message_id=run.answer_id) is None
    with pytest.raises(Invalid):
        record_events(asker.actor, [seen] * 51)


def test_a_clicked_question_carries_where_it_came_from(asker: Persona, writer: Writer) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    row = SuggestionSet.objects.get()
    taken = Attribution(set_id=row.pk, key="g1-1")
    second = ask(
        asker.actor,
        Question(text="Who approves leave?", taken_from=taken),
        conversation_id=run.conversation_id,
    )
    assert (second.question.suggestion_set, second.question.suggestion_key) == (row, "g1-1")
    assert SuggestionEvent.objects.get(action="click").question_key == "g1-1"


@pytest.mark.parametrize("how", ["changed", "unknown key", "another's", "no set"])
def test_words_that_were_changed_carry_nothing(
    asker: Persona, writer: Writer, adam: Persona, how: str
) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    row = SuggestionSet.objects.get()
    who = adam if how == "another's" else asker
    taken = Attribution(
        set_id=uuid4() if how == "no set" else row.pk,
        key="g7-1" if how == "unknown key" else "g1-1",
    )
    text = "Who denies leave?" if how == "changed" else "Who approves leave?"
    made = ask(who.actor, Question(text=text, taken_from=taken))
    assert made.question.suggestion_set is None
    assert made.question.suggestion_key == ""


def test_a_job_that_breaks_does_not_leave_a_set_in_the_making(
    asker: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents import tasks

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("out of paper")

    run = answered(asker)
    begin_follow_ups(asker.actor, run, locale="en")
    monkeypatch.setattr(tasks, "make_follow_ups", broken)
    assert work("default")
    row = SuggestionSet.objects.get()
    assert row.state == SuggestionState.FAILED
    assert row.reason
