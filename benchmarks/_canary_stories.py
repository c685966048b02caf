"""Conversations in which secrets were read, quoted, remembered, published and passed on.

Everything a run leaves behind is made as the product makes it, from documents that its person may
see at that moment: events, journal, evidence, state, long results, files, follow-ups, memories.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from accounts.access import Actor
from accounts.actors import actor_of
from agents.answers.history import history_of
from agents.constants import (
    CallState,
    MemoryKind,
    MemoryOrigin,
    MessageRole,
    RunState,
    SuggestionPlace,
    SuggestionState,
)
from agents.engine.aliases import Aliases
from agents.engine.calls import ToolOutcome
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    PreambleMoved,
    RunFinished,
    RunStarted,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.engine.state import RunState as LoopState
from agents.memory.owners import own_memory
from agents.memory.recall import recall_for
from agents.models import (
    Agent,
    AgentRun,
    Approval,
    Artifact,
    Conversation,
    MemoryItem,
    Message,
    RunEvent,
    StoredResult,
    SuggestionSet,
    ToolCall,
)
from agents.runs.blobs import pack_state
from agents.runs.reports import report_of
from agents.services.artifacts import NewFile, publish_file
from agents.suggestions.follow_ups import config_of, hash_for
from agents.tools.agents import tell
from benchmarks._canary_world import CanaryWorld, Person, Secret
from core.tenancy import space_scope
from knowledge.models import EvidenceRow
from providers.contracts.chat import ChatMessage


@dataclass(kw_only=True)
class Stories:
    """Ids of what was told, for the calls to ask for."""

    agents: dict[int, Agent] = field(default_factory=dict)
    """By space."""
    conversations: list[UUID] = field(default_factory=list)
    runs: list[UUID] = field(default_factory=list)
    answers: list[UUID] = field(default_factory=list)
    artifacts: list[UUID] = field(default_factory=list)
    approvals: list[UUID] = field(default_factory=list)
    owners: dict[UUID, str] = field(default_factory=dict)
    """Of each conversation: the person's name."""


def tell_story(world: CanaryWorld, stories: Stories, person: Person, chance: random.Random) -> None:
    """Let the person ask twice: the second answer repeats the first one's words."""
    readable = [each for each in world.secrets if not each.is_gone and world.may_see(person, each)]
    if person.user is None or person.space_id is None or not readable:
        return
    read = chance.sample(readable, min(len(readable), chance.randint(1, 3)))
    with space_scope(person.space_id):
        actor = actor_of(person.user, space_id=person.space_id)
        agent = stories.agents[person.space_id]
        conversation = Conversation.objects.create(
            space_id=person.space_id, user=person.user, title="Which word is it?", agent=agent
        )
        stories.conversations.append(conversation.pk)
        stories.owners[conversation.pk] = person.name
        with_child = chance.random() < 0.3
        first = _run(actor, conversation, agent, read, by_child=with_child)
        second = _echo(actor, conversation, agent, read)
        for run in (first, second):
            stories.runs.append(run.pk)
            if run.answer_id:
                stories.answers.append(run.answer_id)
        _leave_behind(actor, first, read, stories, chance)


def _run(
    actor: Actor,
    conversation: Conversation,
    agent: Agent,
    read: Sequence[Secret],
    *,
    by_child: bool,
) -> AgentRun:
    words = _words(read)
    run = _asked(actor, conversation, agent, "Which word is it?", read)
    if by_child:
        inner = Conversation.objects.create(
            space_id=actor.space_id,
            user_id=actor.user_id or 0,
            title="Inner",
            agent=agent,
            is_internal=True,
        )
        child = _asked(actor, inner, agent, "Find the word", read)
        child.parent, child.parent_call_id, child.depth = run, "a", 1
        child.save()
        _finish(child, [*_search(read), *_answer(words)], words)
        told = tell(report_of(actor, child.pk), Aliases())
        events: list[AgentEvent] = list(
            _call("call_agent", told.output, told.data or {}, {"task": f"Find {words}"})
        )
    else:
        events = _search(read)
    _finish(run, [*events, *_answer(words)], words)
    _cite(run, read)
    return run


def _echo(
    actor: Actor, conversation: Conversation, agent: Agent, read: Sequence[Secret]
) -> AgentRun:
    """Ask again: nothing is searched, the words come from the history."""
    run = _asked(actor, conversation, agent, "Say it once more", ())
    history_of(run, actor=actor, turns=5)
    recall_for(actor, run, agent.settings)
    run.refresh_from_db()
    words = _words(read)
    _finish(run, _answer(words), words)
    return run


def _asked(
    actor: Actor, conversation: Conversation, agent: Agent, text: str, read: Sequence[Secret]
) -> AgentRun:
    mentions = [
        {"kind": "document", "id": str(each.document_id), "name": f"{each.name}.txt"}
        for each in read[:1]
    ]
    question = Message.objects.create(
        space_id=actor.space_id,
        conversation=conversation,
        role=MessageRole.USER,
        text=text,
        position=conversation.messages.count(),
        mentions=mentions,
    )
    return AgentRun.objects.create(
        space_id=actor.space_id,
        conversation=conversation,
        question=question,
        agent=agent,
        user_id=actor.user_id or 0,
        base_ids=[str(each.base_id) for each in read],
        state=RunState.RUNNING,
    )


def _search(read: Sequence[Secret]) -> list[AgentEvent]:
    hits = [
        {
            "chunk_id": str(each.document_id),
            "document_id": str(each.document_id),
            "base_id": str(each.base_id),
            "name": f"note {each.name}.txt",
            "page": None,
            "heading": f"Heading {each.text}",
            "excerpt": f"The word is {each.text}.",
            "score": 1.0,
        }
        for each in read
    ]
    return list(_call("knowledge_search", _words(read), {"hits": hits}, {"queries": ["word"]}))


def _call(
    name: str, output: str, data: dict[str, Any], arguments: dict[str, Any]
) -> tuple[AgentEvent, AgentEvent]:
    started = ToolCallStarted(
        round=1, call_id="a", name=name, arguments=arguments, title=f"{name} {arguments}"
    )
    finished = ToolCallFinished(
        round=1,
        call_id="a",
        name=name,
        ok=True,
        output=output,
        summary=f"found {output[:80]}",
        data=data,
        duration_ms=3,
    )
    return started, finished


def _answer(words: str) -> list[AgentEvent]:
    text = f"It says {words}."
    return [
        ThoughtDelta(round=1, text=f"I think of {words}."),
        PreambleMoved(round=1, text=f"Let me say {words}."),
        *_call("thinking", f"Thought {words}", {}, {"thought": words}),
        AnswerDelta(text=text),
        AnswerFinished(text=text),
        RunFinished(outcome="answered", reason="natural_stop", answer=text),
    ]


def _words(read: Sequence[Secret]) -> str:
    return " and ".join(f"{each.text} in {each.name}" for each in read)


def _finish(run: AgentRun, events: Sequence[AgentEvent], words: str) -> None:
    """Store events, journal, state and answer, as the recorder does."""
    rows = [RunStarted(question=run.question.text, mode="react"), *events]
    RunEvent.objects.bulk_create(
        RunEvent(
            space_id=run.space_id,
            run=run,
            seq=seq,
            seq_to=seq,
            type=event.type,
            data=event.model_copy(update={"seq": seq}).model_dump(mode="json"),
        )
        for seq, event in enumerate(rows, 1)
    )
    for event in events:
        if isinstance(event, ToolCallFinished) and event.call_id == "a":
            outcome = ToolOutcome(
                call_id="a", name=event.name, ok=True, output=event.output, summary=event.summary
            )
            ToolCall.objects.get_or_create(
                run=run,
                call_id="a",
                defaults={
                    "space_id": run.space_id,
                    "name": event.name,
                    "arguments": {},
                    "arguments_hash": "0",
                    "state": CallState.COMPLETED,
                    "result": outcome.model_dump(mode="json"),
                },
            )
    run.answer = Message.objects.create(
        space_id=run.space_id,
        conversation=run.conversation,
        role=MessageRole.ASSISTANT,
        text=f"It says {words}.",
        position=run.conversation.messages.count(),
    )
    state = LoopState.begin(
        run.question.text, system="Answer.", runtime_context=f"Passages: {words}"
    )
    state.messages.append(ChatMessage(role="assistant", content=f"It says {words}."))
    run.loop_state = pack_state(run.space_id, state)
    run.state, run.outcome = RunState.DONE, "answered"
    run.last_seq, run.ended_at = len(rows), timezone.now()
    run.save()


def _cite(run: AgentRun, read: Sequence[Secret]) -> None:
    for marker, each in enumerate(read, 1):
        EvidenceRow.objects.create(
            space_id=run.space_id,
            origin_id=run.answer_id or run.pk,
            marker=marker,
            base_id=each.base_id,
            document_id=each.document_id,
            document_name=f"note {each.name}.txt",
            document_revision=1,
            chunk_id=each.document_id,
            chunk_hash="x",
            heading_path=[f"Heading {each.text}"],
            text=f"The word is {each.text}.",
        )


def _leave_behind(
    actor: Actor,
    run: AgentRun,
    read: Sequence[Secret],
    stories: Stories,
    chance: random.Random,
) -> None:
    words, ids = _words(read), [str(each.document_id) for each in read]
    StoredResult.objects.create(space_id=run.space_id, run=run, call_id="a", text=words * 20)
    kind = chance.choice(("md", "html", "csv"))
    file = NewFile(name=f"report.{kind}", content=f"# Report\n\n{words}")
    artifact: Artifact = publish_file(run_id=run.pk, call_id="file", file=file)
    stories.artifacts.append(artifact.pk)
    config = config_of(run)
    if config is not None:
        SuggestionSet.objects.create(
            space_id=run.space_id,
            agent=run.agent,
            user_id=run.user_id,
            message=run.answer,
            place=SuggestionPlace.FOLLOW_UPS,
            config_hash=hash_for(run, config),
            locale="en",
            state=SuggestionState.READY,
            questions=[
                {
                    "key": "g1-1",
                    "text": f"What of {words}?"[:190],
                    "source": "generated",
                    "category": "",
                    "document_ids": ids,
                }
            ],
        )
    owner = own_memory(actor)
    MemoryItem.objects.create(
        space_id=run.space_id,
        owner=owner,
        kind=MemoryKind.FACT,
        text=f"The word is {words}."[:300],
        topic=f"word {run.pk}"[:80],
        topic_key=f"word {run.pk}"[:80],
        origin=MemoryOrigin.EXPLICIT,
        document_ids=ids,
    )
    if chance.random() < 0.5:
        approval = Approval.objects.create(
            space_id=run.space_id,
            run=run,
            requested_seq=1,
            call_id=f"send-{run.pk}",
            tool_name="send",
            title=f"Send {words}"[:200],
            arguments={"text": words},
            decision_hash="0" * 64,
            due_at=timezone.now(),
        )
        stories.approvals.append(approval.pk)
