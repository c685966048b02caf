"""Learning from conversations: nothing is dropped, nothing read twice, nothing believed blindly."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.constants import MemoryKind, MemoryOrigin, MemoryState, MemoryWriting, RunState
from agents.memory.distill import distill
from agents.memory.extraction import read_extraction
from agents.memory.owners import own_memory, switch_memory
from agents.memory.segments import segments_of, unread_lines
from agents.memory.tidying import learning_problem
from agents.models import (
    Agent,
    AgentRun,
    Conversation,
    FamiliarDocument,
    MemoryItem,
    MemoryOwner,
    MemorySettings,
    MemoryTopic,
    Message,
    ModelUsage,
)
from agents.signals import run_finished
from core.jobs.handlers import RetryJob
from core.jobs.work import work
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.evidence import Cited, store_evidence
from knowledge.models import Chunk
from providers.contracts.errors import ModelError
from tests.agents.memory.conftest import Writer, a_job
from tests.factories.agents import make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


def found(text: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "fact", "text": text, "basis": "stated", "line": 1, **fields}


@pytest.fixture
def learner(cora_remembers: Persona) -> Persona:
    """Cora's space learns from conversations, at once."""
    MemorySettings.objects.update(
        writing=MemoryWriting.AUTO, debounce_seconds=0, min_interval_seconds=0
    )
    owner = own_memory(cora_remembers.actor)
    MemoryOwner.objects.filter(pk=owner.pk).update(read_until=timezone.now() - timedelta(days=9))
    return cora_remembers


def talk(persona: Persona, *lines: str, ago: timedelta = timedelta(hours=2)) -> list[AgentRun]:
    """Let the person have said these lines, a minute apart, with answers."""
    agent = Agent.objects.get()
    conversation = make_conversation(persona.space, user=persona.user, agent=agent)
    runs = []
    for number, line in enumerate(lines):
        run = make_run(conversation, question=line, answer="I see.")
        at = timezone.now() - ago + timedelta(minutes=number)
        Message.objects.filter(pk=run.question_id).update(created_at=at)
        runs.append(run)
    return runs


def owner_of(persona: Persona) -> MemoryOwner:
    return MemoryOwner.objects.get(principal=f"user:{persona.user.pk}")


def test_stated_things_are_kept_and_inferred_ones_wait(learner: Persona, writer: Writer) -> None:
    talk(learner, "I lead the tax team. How is leave booked?")
    model = writer(
        {
            "items": [
                found("The person leads the tax team.", kind="profile", topic="team"),
                found("The person likes short answers.", kind="preference", basis="inferred"),
            ],
            "topics": ["Leave"],
        }
    )
    assert distill(a_job(), owner_id=owner_of(learner).pk) == 2
    states = dict(MemoryItem.objects.values_list("kind", "state"))
    assert states == {"profile": MemoryState.ACTIVE, "preference": MemoryState.PENDING}
    item = MemoryItem.objects.get(kind="profile")
    assert item.origin == MemoryOrigin.EXTRACTED
    assert item.message is not None
    assert MemoryTopic.objects.get().name == "Leave"
    assert "I lead the tax team" in model.asked[0][1].content
    usage = ModelUsage.objects.get()
    assert (usage.purpose, usage.user_id) == ("memory", learner.user.pk)
    assert distill(a_job(), owner_id=owner_of(learner).pk) == 0
    assert len(model.asked) == 1


def test_answers_are_never_read(learner: Persona, writer: Writer) -> None:
    (run,) = talk(learner, "How long is notice?")
    Message.objects.filter(answered_run=run).update(text="Notice is ninety days.")
    model = writer({"items": []})
    distill(a_job(), owner_id=owner_of(learner).pk)
    assert "ninety" not in str(model.asked)


def test_a_failure_leaves_the_watermark_and_is_tried_again(
    learner: Persona, writer: Writer
) -> None:
    talk(learner, "I lead the tax team.")
    before = owner_of(learner).read_until
    writer(ModelError("overloaded", "The service is overloaded."))
    with pytest.raises(RetryJob, match="overloaded"):
        distill(a_job(), owner_id=owner_of(learner).pk)
    assert owner_of(learner).read_until == before
    writer("That is a nice story.")
    with pytest.raises(RetryJob, match="JSON"):
        distill(a_job(), owner_id=owner_of(learner).pk)
    writer({"items": [found("The person leads the tax team.")]})
    assert distill(a_job(), owner_id=owner_of(learner).pk) == 1


def test_the_failure_is_told_on_the_page(learner: Persona, writer: Writer) -> None:
    (run,) = talk(learner, "I lead the tax team.")
    run_finished.send(AgentRun, run=run)
    writer(ModelError("overloaded", "The service is overloaded."))
    while work("default"):
        pass
    assert "overloaded" in learning_problem(owner_of(learner))


def test_long_histories_are_read_in_several_goes_without_a_gap(
    learner: Persona, writer: Writer
) -> None:
    for day in range(5):
        talk(learner, f"Line {day} a", f"Line {day} b", ago=timedelta(days=5 - day))
    model = writer(*[{"items": []}] * 5)
    for _ in range(2):
        distill(a_job(), owner_id=owner_of(learner).pk)
    said = " ".join(call[1].content for call in model.asked)
    assert all(said.count(f"Line {day} {part}") == 1 for day in range(5) for part in "ab")
    assert BackgroundJob.objects.filter(name="agents.distill_memory").exists()


def test_forty_lines_at_most_and_lines_of_one_instant_together(learner: Persona) -> None:
    runs = talk(learner, *[f"Line {number}" for number in range(45)])
    same = Message.objects.get(pk=runs[39].question_id).created_at
    Message.objects.filter(pk__in=[runs[40].question_id, runs[41].question_id]).update(
        created_at=same
    )
    assert len(unread_lines(owner_of(learner))) == 42


def test_silence_and_another_conversation_split_the_lines(learner: Persona) -> None:
    talk(learner, "one", "two", ago=timedelta(hours=9))
    talk(learner, "three", ago=timedelta(hours=5))
    (late,) = talk(learner, "four", ago=timedelta(hours=3))
    Conversation.objects.filter(pk=late.conversation_id).update(title="same")
    lines = unread_lines(owner_of(learner))
    assert [[line.text for line in each] for each in segments_of(lines)] == [
        ["one", "two"],
        ["three"],
        ["four"],
    ]


def test_a_question_that_is_being_answered_is_read_later(learner: Persona) -> None:
    first, second = talk(learner, "one", "two")
    AgentRun.objects.filter(pk=second.pk).update(state=RunState.RUNNING)
    assert [line.text for line in unread_lines(owner_of(learner))] == ["one"]


def test_who_still_talks_is_not_interrupted(learner: Persona, writer: Writer) -> None:
    MemorySettings.objects.update(debounce_seconds=90)
    talk(learner, "one", ago=timedelta(seconds=30))
    model = writer()
    assert distill(a_job(), owner_id=owner_of(learner).pk) == 0
    assert model.asked == []
    job = BackgroundJob.objects.get(name="agents.distill_memory")
    assert job.run_after > timezone.now() + timedelta(seconds=60)


@pytest.mark.parametrize("how", ["agent", "person", "space", "explicit"])
def test_switched_off_means_unread(learner: Persona, writer: Writer, how: str) -> None:
    talk(learner, "I lead the tax team.")
    model = writer()
    if how == "agent":
        Agent.objects.update(config={"memory_enabled": False})
    if how == "person":
        switch_memory(learner.actor, is_on=False)
    if how == "space":
        MemorySettings.objects.update(is_enabled=False)
    if how == "explicit":
        MemorySettings.objects.update(writing=MemoryWriting.EXPLICIT)
    assert distill(a_job(), owner_id=owner_of(learner).pk) == 0
    assert model.asked == []


def test_secrets_do_not_reach_the_model_or_the_memory(learner: Persona, writer: Writer) -> None:
    talk(learner, "My password is hunter22! I work on the release of the valve software.")
    model = writer({"items": [found("The person's password is hunter22!")]})
    distill(a_job(), owner_id=owner_of(learner).pk)
    assert "hunter22" not in str(model.asked)
    assert "hunter22" not in str(list(MemoryItem.objects.values_list("text", flat=True)))


def test_a_subject_of_three_conversations_becomes_an_interest(
    learner: Persona, writer: Writer
) -> None:
    for day in (5, 4, 3):
        talk(learner, "About valves", ago=timedelta(days=day))
    writer(*[{"items": [], "topics": ["Valves"]}] * 3)
    distill(a_job(), owner_id=owner_of(learner).pk)
    assert MemoryTopic.objects.get().is_promoted
    assert MemoryItem.objects.get(kind=MemoryKind.INTEREST).text == "Valves"


def test_an_item_from_a_source_carries_the_source(learner: Persona, writer: Writer) -> None:
    document = make_document(make_base(learner.space), texts=["Notice is ninety days for all."])
    first, second = talk(learner, "How long is notice?", "So my notice is ninety days.")
    chunk = Chunk.objects.get()
    assert first.answer_id is not None
    store_evidence(learner.space.pk, first.answer_id, [Cited(marker=1, chunk_id=chunk.pk)])
    writer({"items": [found("The person's notice is ninety days.", line=2)]})
    distill(a_job(), owner_id=owner_of(learner).pk)
    assert MemoryItem.objects.get().document_ids == [str(document.pk)]


def test_a_run_that_ends_counts_its_sources_and_asks_for_reading(learner: Persona) -> None:
    document = make_document(make_base(learner.space), texts=["Notice is ninety days."])
    (run,) = talk(learner, "How long is notice?")
    assert run.answer_id is not None
    store_evidence(
        learner.space.pk, run.answer_id, [Cited(marker=1, chunk_id=Chunk.objects.get().pk)]
    )
    run_finished.send(AgentRun, run=run)
    row = FamiliarDocument.objects.get()
    assert (row.document_id, row.citations) == (document.pk, 1)
    names = set(BackgroundJob.objects.values_list("name", flat=True))
    assert {"agents.distill_memory", "agents.consolidate_memory"} <= names


def test_a_memory_that_was_deleted_meanwhile_is_left_alone(learner: Persona) -> None:
    with space_scope(learner.space.pk):
        assert distill(a_job(), owner_id=987654) == 0


@pytest.mark.parametrize(
    "item",
    [
        "no object",
        {"kind": "gossip", "text": "x", "line": 1},
        {"kind": "fact", "text": "", "line": 1},
        {"kind": "fact", "text": "x", "line": 9},
        {"kind": "fact", "text": "The person flies tomorrow.", "line": 1},
        {"kind": "task", "text": "报告下周要交", "line": 1},
    ],
)
def test_what_is_not_well_formed_is_left_out(item: object) -> None:
    answer = {"items": [item, found("The report is due on 2027-03-01.")]}
    assert [each.text for each in read_extraction(answer, lines=1).items] == [
        "The report is due on 2027-03-01."
    ]


def test_an_answer_of_another_shape_is_a_failure() -> None:
    with pytest.raises(ModelError):
        read_extraction("text", lines=1)
