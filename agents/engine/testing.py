"""Doubles for tests of the engine and of everything above it.

`ScriptedModel` plays prepared turns and complains when it is asked too often or not often enough.
`FuzzedModel` misbehaves in every way seen in the wild, repeatably by its seed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.engine.cancel import CancelToken
from agents.engine.errors import ToolFailed
from agents.engine.events import AgentEvent
from agents.engine.fuzzing import FuzzedModel as FuzzedModel
from agents.engine.loop import ReactLoop
from agents.engine.state import RunState
from agents.engine.texts import EnginePrompts
from agents.engine.tools import SideEffects, Tool, ToolContext, ToolResult
from agents.engine.toolsets import Toolset
from providers.contracts.chat import (
    ChatChunk,
    ChatMessage,
    ChatOptions,
    FinishReason,
    ToolCallDelta,
    ToolSpec,
    Usage,
)

TEST_PROMPTS = EnginePrompts(
    synthesis="Answer from the results.",
    summary="Summarise the conversation.",
    summary_update="Update the summary.",
)


class ScriptMismatch(BaseException):
    """The model was asked too often, or not often enough.

    Not an `Exception`: the engine's own safety net must not turn a wrong test into a failed run.
    """


@dataclass(frozen=True)
class Pause:
    """A place in a script where the model waits for the test."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class ScriptedModel:
    """A chat model that plays prepared turns and keeps what it was asked.

    ```python
    with ScriptedModel([[*call("search", queries=["x"])], [*say("Found it.")]]) as model:
        ...
    ```
    """

    turns: Sequence[Any]
    """Each a sequence of chunks, exceptions to raise and places to wait."""
    name: str = "scripted"
    context_tokens: int = 200_000
    asked: list[list[ChatMessage]] = field(default_factory=list)
    tools: list[tuple[ToolSpec, ...]] = field(default_factory=list)
    options: list[ChatOptions] = field(default_factory=list)

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.check()

    def check(self) -> None:
        """Complain when turns are left over."""
        if len(self.asked) < len(self.turns):
            raise ScriptMismatch(
                f"the model was asked {len(self.asked)} times, {len(self.turns)} turns are written"
            )

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = ChatOptions(),  # noqa: B008  # as in the protocol; frozen
    ) -> AsyncIterator[ChatChunk]:
        """Play the next turn."""
        number = len(self.asked)
        self.asked.append(list(messages))
        self.tools.append(tuple(tools))
        self.options.append(options)
        if number >= len(self.turns):
            raise ScriptMismatch(f"the model was asked more than {len(self.turns)} times")
        for item in self.turns[number]:
            if isinstance(item, Exception):
                raise item
            if isinstance(item, Pause):
                item.reached.set()
                await item.go_on.wait()
            else:
                yield item


# What a model may say


def say(*pieces: str, finish: FinishReason | None = "stop") -> list[ChatChunk]:
    """Return a turn of text."""
    return [*(ChatChunk(text=piece) for piece in pieces), *end(finish)]


def think(*pieces: str) -> list[ChatChunk]:
    """Return chunks of the reasoning channel."""
    return [ChatChunk(reasoning=piece) for piece in pieces]


def call(name: str, /, *, call_id: str = "", index: int = 0, **arguments: Any) -> list[ChatChunk]:
    """Return one whole native call, without the turn's end."""
    return raw_call(name, json.dumps(arguments), call_id=call_id or name, index=index)


def raw_call(name: str, arguments: str, *, call_id: str = "id", index: int = 0) -> list[ChatChunk]:
    """Return one native call whose arguments are any text."""
    delta = ToolCallDelta(index=index, call_id=call_id, name=name, arguments=arguments)
    return [ChatChunk(tool_call=delta)]


def end(finish: FinishReason | None = "stop", *, usage: Usage | None = None) -> list[ChatChunk]:
    """Return the end of a turn."""
    chunks = [ChatChunk(finish_reason=finish)] if finish else []
    return chunks + ([ChatChunk(usage=usage)] if usage else [])


def calls(*parts: list[ChatChunk], before: Sequence[ChatChunk] = ()) -> list[ChatChunk]:
    """Return a turn of several calls."""
    chunks = [chunk for part in parts for chunk in part]
    return [*before, *chunks, *end("tool_calls")]


# Tools


@dataclass
class FakeTool:
    """A tool that answers what it is told and keeps how it was called."""

    name: str = "search"
    answer: str | ToolResult | Exception | Callable[[dict[str, Any]], str] = "found"
    side_effects: SideEffects = "none"
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object"})
    pause: Pause | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)

    def tool(self, **more: Any) -> Tool[Any]:
        """Return it as a tool; `more` are further fields of `Tool`."""
        spec = ToolSpec(name=self.name, description="A fake.", parameters=self.parameters)
        return Tool(spec=spec, body=self._run, side_effects=self.side_effects, **more)

    async def _run(self, ctx: ToolContext[Any], arguments: dict[str, Any]) -> ToolResult:
        self.calls.append(arguments)
        if self.pause is not None:
            self.pause.reached.set()
            await self.pause.go_on.wait()
        answer = self.answer
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(arguments)
        if isinstance(answer, ToolResult):
            return answer
        return ToolResult(output=answer, summary=f"{self.name} done")


def failing(message: str = "no such page", *, code: str = "failed") -> ToolFailed:
    """Return a failure for `FakeTool.answer`."""
    return ToolFailed(message, code=code)


# Running


def ticking_clock(step_seconds: float = 0.001) -> Callable[[], float]:
    """Return a clock that goes on by one step at each reading, for stable durations."""
    now = 0.0

    def read() -> float:
        nonlocal now
        now += step_seconds
        return now

    return read


async def no_sleep(_seconds: float) -> None:
    """Wait for nothing, but let others run."""
    await asyncio.sleep(0)


def a_run(question: str = "What is it?", **more: Any) -> RunState:
    """Return the state of a new run."""
    return RunState.begin(question, system="You answer questions.", **more)


def a_loop(model: Any, *tools: Tool[Any], **more: Any) -> ReactLoop[Any]:
    """Return a loop that waits for nothing and whose clock ticks."""
    settings: dict[str, Any] = {
        "toolset": Toolset.of(tools),
        "clock": ticking_clock(),
        "sleep": no_sleep,
    } | more
    return ReactLoop(model=model, prompts=TEST_PROMPTS, deps=None, **settings)


async def events_of(
    loop: ReactLoop[Any], state: RunState, *, cancel: CancelToken | None = None
) -> list[AgentEvent]:
    """Run to the end (or to a waiting approval) and return all events."""
    return [event async for event in loop.run(state, cancel=cancel)]


def told(events: Sequence[AgentEvent]) -> list[dict[str, Any]]:
    """Return events as short dicts for snapshots: no defaults, no numbers, no usage reports."""
    return [
        {"type": event.type, **event.model_dump(exclude_defaults=True, exclude={"seq", "type"})}
        for event in events
        if event.type != "usage_reported"
    ]
