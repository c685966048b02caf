"""A model that misbehaves, many times: does every run end with an answer or a stated reason?

Each run has its own seed: a fuzzed model, tools that fail, time out, or change something, a policy
that asks a person at random, a person who decides or stops the run, and workers that are killed at
random events and resume from what was stored. Prints how the runs ended and the broken promises.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.engine.calls import Decision, ToolOutcome
from agents.engine.cancel import CancelToken
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReset,
    ApprovalRequested,
    ApprovalResolved,
    CitationAdded,
    RunFinished,
    ToolCallFinished,
    ToolCallStarted,
    is_delta,
    parse_event,
)
from agents.engine.limits import RunLimits
from agents.engine.loop import ReactLoop
from agents.engine.state import RunState
from agents.engine.testing import TEST_PROMPTS, FuzzedModel, failing, no_sleep, ticking_clock
from agents.engine.tools import Tool, ToolContext, ToolResult
from agents.engine.toolsets import CallInfo, JournalEntry, Toolset, Verdict
from providers.contracts.chat import ToolSpec

NAME = "model_fuzz"
TARGET = "target 0 broken promises"
MAX_WORKERS_A_RUN = 60


@dataclass
class MemoryJournal:
    """A journal that survives the workers of one run."""

    entries: dict[str, JournalEntry] = field(default_factory=dict)

    async def lookup(self, call_id: str) -> JournalEntry | None:
        return self.entries.get(call_id)

    async def started(self, call: CallInfo) -> None:
        self.entries[call.call_id] = JournalEntry(status="started")

    async def completed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        self.entries[call.call_id] = JournalEntry(status="completed", outcome=outcome)

    async def failed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        self.entries[call.call_id] = JournalEntry(status="failed", outcome=outcome)


@dataclass
class World:
    """Everything of one run that outlives its workers."""

    seed: int
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    effects: Counter[str] = field(default_factory=Counter)
    events: list[AgentEvent] = field(default_factory=list)
    stored: str = ""
    recovered: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)  # noqa: S311  # a run must be repeatable
        self.model = FuzzedModel(self.seed)
        self.asks = self.dice.random() < 0.2
        self.kills = self.dice.random() < 0.3
        self.stops = self.dice.random() < 0.1

    async def decide(self, call: CallInfo) -> Verdict:
        """The approval policy."""
        roll = self.dice.random()
        if self.asks and roll < 0.3:
            return Verdict(decision="ask", reason="It changes something.")
        if self.asks and roll < 0.35:
            raise ValueError("the policy is broken")
        return Verdict(decision="deny" if self.asks and roll < 0.4 else "auto")

    def tools(self) -> list[Tool[Any]]:
        strings = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        search = {"type": "object", "properties": {"queries": strings}, "required": ["queries"]}
        write = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        read = {"type": "object", "properties": {"document_id": {"type": "string"}}}
        return [
            self._tool("search", search, self._search),
            self._tool("write", write, self._write, side_effects="unsafe"),
            self._tool("read", read, self._read, id_parameters={"document_id": "document"}),
        ]

    @staticmethod
    def _tool(name: str, parameters: dict[str, Any], body: Any, **more: Any) -> Tool[Any]:
        return Tool(
            spec=ToolSpec(name=name, description=name, parameters=parameters), body=body, **more
        )

    async def _search(self, ctx: ToolContext[None], arguments: dict[str, Any]) -> ToolResult:
        if self.dice.random() < 0.1:
            raise failing("Nothing was found.")
        if self.dice.random() < 0.05:
            raise ConnectionError("secret address")
        await asyncio.sleep(0)
        alias = ctx.aliases.chunk(f"chunk-{self.dice.randrange(30)}", document_id="doc-1")
        size = self.dice.choice((1, 1, 1, 8_000))
        return ToolResult(output=f"[{alias}] notice is thirty days. " * size, summary="1 passage")

    async def _write(self, ctx: ToolContext[None], arguments: dict[str, Any]) -> ToolResult:
        self.effects[ctx.call_id] += 1
        await asyncio.sleep(0)
        return ToolResult(output="written", summary="written")

    async def _read(self, ctx: ToolContext[None], arguments: dict[str, Any]) -> ToolResult:
        if self.dice.random() < 0.05:
            await asyncio.sleep(3600)
        return ToolResult(output="a document " * 200)


async def play(seed: int) -> World:
    """Make one run to its end, by as many workers as it takes."""
    world = World(seed)
    mode = "quick" if world.dice.random() < 0.15 else "react"
    first = RunState.begin("What is the notice period?", system="Answer.", mode=mode)
    first.aliases.chunk("chunk-0", document_id="doc-1")
    world.stored = first.model_dump_json()
    for _ in range(MAX_WORKERS_A_RUN):
        if await _work(world):
            return world
        _decide(world)
    raise RuntimeError(f"run {seed} is not over after {MAX_WORKERS_A_RUN} workers")


async def _work(world: World) -> bool:
    """Be one worker; return whether the run is over."""
    state = RunState.model_validate_json(world.stored)
    state.catch_up(world.events[-1].seq if world.events else 0)
    token = CancelToken()
    loop = ReactLoop(
        model=world.model,
        prompts=TEST_PROMPTS,
        deps=None,
        toolset=Toolset.of(world.tools()).with_journal(world.journal).with_approval(world),
        limits=RunLimits(max_rounds=world.dice.choice((3, 10)), tool_timeout_seconds=0.01),
        sleep=no_sleep,
        clock=ticking_clock(),
    )
    async with aclosing(loop.run(state, cancel=token)) as events:
        async for event in events:
            world.events.append(parse_event(event.model_dump(mode="json")))
            if not is_delta(event):
                world.stored = state.model_dump_json()
            if world.stops and world.dice.random() < 0.1:
                token.cancel()
            if world.kills and world.dice.random() < 0.04 and not isinstance(event, RunFinished):
                return False
    return state.finished


def _decide(world: World) -> None:
    """Let a person decide about what waits and was told to them."""
    state = RunState.model_validate_json(world.stored)
    for waiting in state.waiting:
        if waiting.call_id not in state.requested_ids:
            continue
        edited = waiting.arguments if world.dice.random() < 0.2 else None
        resolution = "edited" if edited else world.dice.choice(("approved", "rejected", "expired"))
        if waiting.kind == "recovery" and resolution in ("approved", "edited"):
            world.recovered[waiting.call_id] += 1
        decision = Decision(
            resolution=resolution, decision_hash=waiting.decision_hash, arguments=edited
        )
        state.decide(waiting.call_id, decision)
    world.stored = state.model_dump_json()


def broken_promises(world: World) -> list[str]:
    """Return what a run did that it must not."""
    events = world.events
    last = events[-1]
    broken = []
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        broken.append("seq has gaps")
    if sum(isinstance(event, RunFinished) for event in events) != 1:
        broken.append("not exactly one RunFinished")
    if not isinstance(last, RunFinished):
        return [*broken, "RunFinished is not last"]
    if last.reason == "internal_error":
        broken.append("internal error")
    if not last.answer.strip() and not last.detail.strip():
        broken.append("neither answer nor reason")
    if last.outcome == "answered" and not last.answer.strip():
        broken.append("answered without an answer")
    if last.answer != _shown(events):
        broken.append("what was shown is not the answer")
    return [*broken, *_broken_calls(world)]


def _shown(events: Sequence[AgentEvent]) -> str:
    """Return the answer as a client puts it together."""
    text, finished, markers = "", None, 0
    for event in events:
        if isinstance(event, AnswerDelta):
            text += event.text
        elif isinstance(event, AnswerReset):
            text, markers = "", 0
        elif isinstance(event, CitationAdded):
            markers += 1
            if event.marker != markers:
                return "a citation's marker is not the next one"
        elif isinstance(event, AnswerFinished):
            finished = event.text
    if finished is not None and finished != text.strip():
        return "AnswerFinished is not what the deltas gave"
    return text.strip()


def _broken_calls(world: World) -> list[str]:
    broken = []
    for call_id, times in world.effects.items():
        if times > 1 + world.recovered[call_id]:
            broken.append("a side effect happened twice")
    started = Counter(e.call_id for e in world.events if isinstance(e, ToolCallStarted))
    ended = Counter(e.call_id for e in world.events if isinstance(e, ToolCallFinished))
    if any(times > 1 for times in (*started.values(), *ended.values())):
        broken.append("a call was told twice")
    if set(started) != set(ended):
        broken.append("a call has no end")
    asked = Counter(e.call_id for e in world.events if isinstance(e, ApprovalRequested))
    resolved = Counter(e.call_id for e in world.events if isinstance(e, ApprovalResolved))
    if asked.keys() != resolved.keys():
        broken.append("an approval was asked for and never resolved")
    return broken


def show(line: str = "") -> None:
    """Print one line."""
    sys.stdout.write(f"{line}\n")


def main() -> int:
    """Run the fuzz and print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5000)
    options.add_argument("--seed", type=int, default=0, help="seed of the first run")
    chosen = options.parse_args()
    logging.disable(logging.CRITICAL)
    began = time.monotonic()
    ends: Counter[str] = Counter()
    acts: Counter[str] = Counter()
    failures: list[str] = []
    for seed in range(chosen.seed, chosen.seed + chosen.runs):
        try:
            world = asyncio.run(play(seed))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a finding
            failures.append(f"run {seed}: {type(error).__name__}: {error}")
            continue
        acts.update(world.model.misbehaviours)
        failures += [f"run {seed}: {promise}" for promise in broken_promises(world)]
        last = world.events[-1]
        if isinstance(last, RunFinished):
            ends[f"{last.outcome}: {last.reason}"] += 1
    _print_table(ends, acts)
    for failure in failures[:20]:
        show(failure)
    seconds = time.monotonic() - began
    calls = sum(acts.values())
    show(f"{chosen.runs} runs, {calls} model calls, {seconds:.0f} s")
    show(f"{NAME}: {len(failures)} broken promises ({TARGET})")
    return 1 if failures or not chosen.runs else 0


def _print_table(ends: Counter[str], acts: Counter[str]) -> None:
    show(f"{'how the runs ended':44}{'runs':>8}")
    for end, number in ends.most_common():
        show(f"{end:44}{number:>8}")
    show(f"\n{'what the model did':44}{'calls':>8}")
    plain = Counter()
    for act, number in acts.items():
        plain[act.removesuffix(" + error")] += number
        if act.endswith(" + error"):
            plain["… and failed on the way"] += number
    for act, number in plain.most_common():
        show(f"{act:44}{number:>8}")
    show()


if __name__ == "__main__":
    sys.exit(main())
