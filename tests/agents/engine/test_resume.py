"""A worker may die at any event; another one goes on from what was stored."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from agents.engine.calls import ToolOutcome
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerReset,
    RunFinished,
    is_delta,
    parse_event,
)
from agents.engine.limits import RunLimits
from agents.engine.loop import ReactLoop
from agents.engine.state import RunState
from agents.engine.testing import FakeTool, a_loop, a_run, call, calls, say, think
from agents.engine.toolsets import CallInfo, JournalEntry, Toolset
from providers.contracts.chat import ChatChunk, ChatMessage, ChatOptions, ToolSpec


class ModelByHistory:
    """Says the same again when it is asked the same again."""

    name = "by history"
    context_tokens = 200_000

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions | None = None,
    ) -> AsyncIterator[ChatChunk]:
        results = sum(message.role == "tool" for message in messages)
        preamble = [*think("Let me see."), ChatChunk(text="I will search.")]
        search, send = call("search", call_id="s1"), call("send", call_id="w1", index=1)
        more = call("search", call_id="s2", n=2)
        if results == 0 and tools:
            turn = calls(search, send, before=preamble)
        elif results == 2 and tools:
            turn = calls(more, before=[ChatChunk(text="Once more.")])
        else:
            turn = say("Thirty ", "days [c1] ", "it is [c2].")
        for chunk in turn:
            yield chunk


@dataclass
class World:
    """What outlives a worker."""

    entries: dict[str, JournalEntry] = field(default_factory=dict)
    events: list[AgentEvent] = field(default_factory=list)
    stored: str = ""
    sent: int = 0
    searched: int = 0

    async def lookup(self, call_id: str) -> JournalEntry | None:
        return self.entries.get(call_id)

    async def started(self, call: CallInfo) -> None:
        self.entries[call.call_id] = JournalEntry(status="started")

    async def completed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        self.entries[call.call_id] = JournalEntry(status="completed", outcome=outcome)

    async def failed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        raise AssertionError

    def loop(self, state: RunState, limits: RunLimits) -> ReactLoop[None]:
        def search(arguments: dict[str, object]) -> str:
            self.searched += 1
            return f"passage {state.aliases.chunk(f'chunk-{len(self.entries)}')}"

        def send(arguments: dict[str, object]) -> str:
            self.sent += 1
            return "sent"

        tools = [
            FakeTool("search", answer=search).tool(),
            FakeTool("send", answer=send, side_effects="unsafe").tool(),
        ]
        toolset = Toolset.of(tools).with_journal(self)
        return a_loop(ModelByHistory(), toolset=toolset, limits=limits)

    async def work(self, *, events: int | None, limits: RunLimits) -> None:
        """Be a worker that dies after so many events."""
        state = RunState.model_validate_json(self.stored)
        state.catch_up(self.events[-1].seq if self.events else 0)
        left = events
        async with aclosing(self.loop(state, limits).run(state)) as stream:
            async for event in stream:
                self.events.append(parse_event(event.model_dump(mode="json")))
                if not is_delta(event):
                    self.stored = state.model_dump_json()
                if left is not None:
                    left -= 1
                    if left == 0:
                        return


def answer_on_screen(events: Sequence[AgentEvent]) -> str:
    text = ""
    for event in events:
        if isinstance(event, AnswerDelta):
            text += event.text
        elif isinstance(event, AnswerReset):
            text = ""
    return text


EVENTS_OF_A_RUN = 30
LIMITS = {"natural end": RunLimits(), "synthesis": RunLimits(max_rounds=2)}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS.keys())
@pytest.mark.parametrize("step", [1, 2, 3, 5])
async def test_a_run_whose_workers_keep_dying_ends_like_any_other(
    step: int, limits: RunLimits
) -> None:
    world = World(stored=a_run().model_dump_json())
    for life in range(step, 100, step):
        if world.events and isinstance(world.events[-1], RunFinished):
            break
        # Longer and longer lives: a worker that never gets through a turn would repeat it for ever.
        await world.work(events=life, limits=limits)
    last = world.events[-1]
    assert isinstance(last, RunFinished)
    assert [event.seq for event in world.events] == list(range(1, len(world.events) + 1))
    assert last.answer == "Thirty days [1] it is [2]."
    assert answer_on_screen(world.events) == last.answer
    assert world.sent == 1


async def test_an_undisturbed_run_has_this_many_events() -> None:
    world = World(stored=a_run().model_dump_json())
    await world.work(events=None, limits=RunLimits())
    assert len(world.events) == EVENTS_OF_A_RUN


@pytest.mark.parametrize("died_at", range(1, EVENTS_OF_A_RUN))
async def test_a_worker_may_die_at_any_event(died_at: int) -> None:
    world = World(stored=a_run().model_dump_json())
    await world.work(events=died_at, limits=RunLimits())
    await world.work(events=None, limits=RunLimits())
    last = world.events[-1]
    assert isinstance(last, RunFinished)
    assert sum(isinstance(event, RunFinished) for event in world.events) == 1
    assert [event.seq for event in world.events] == list(range(1, len(world.events) + 1))
    assert answer_on_screen(world.events) == last.answer == "Thirty days [1] it is [2]."
    assert (world.sent, world.searched) == (1, 2)
    for kind in ("tool_call_started", "tool_call_finished"):
        ids = [event.call_id for event in world.events if event.type == kind]
        assert sorted(ids) == ["s1", "s2", "w1"]


async def test_the_aliases_of_a_resumed_run_mean_the_same() -> None:
    world = World(stored=a_run().model_dump_json())
    await world.work(events=12, limits=RunLimits())
    await world.work(events=None, limits=RunLimits())
    cited = [event for event in world.events if event.type == "citation_added"]
    assert [(event.alias, event.marker) for event in cited[-2:]] == [("c1", 1), ("c2", 2)]
