"""A model that misbehaves in every way seen in the wild, repeatably by its seed."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from providers.contracts.chat import (
    ChatChunk,
    ChatMessage,
    ChatOptions,
    FinishReason,
    ToolCallDelta,
    ToolSpec,
    Usage,
)
from providers.contracts.errors import ModelError, ModelErrorKind

_WORDS = [
    "the",
    "policy",
    "says",
    "that",
    "notice",
    "is",
    "thirty",
    "days",
    "三十日",
    "합니다",
    "[c1]",
    "[c9]",
    "`code`",
    "[1]",
    "**bold**",
]
_KINDS: tuple[ModelErrorKind, ...] = (
    "rate_limited",
    "timeout",
    "overloaded",
    "server",
    "unreachable",
    "auth",
    "bad_request",
    "context_overflow",
    "content_filter",
    "bad_response",
)
_FINISHES: tuple[FinishReason | None, ...] = (
    "stop",
    "tool_calls",
    "length",
    "content_filter",
    "other",
    None,
)


@dataclass
class FuzzedModel:
    """Answers at random: well, badly, in pieces, not at all."""

    seed: int
    name: str = "fuzzed"
    context_tokens: int = 16_384
    misbehaviours: list[str] = field(default_factory=list)
    """What it did, one entry a call."""

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311  # tests must be repeatable
        self._loops = self._random.random() < 0.1
        self._menu: dict[str, Callable[[Sequence[ToolSpec]], list[ChatChunk]]] = {
            "answer": self._answer,
            "answer in bytes": self._answer_in_bytes,
            "empty": lambda _: [],
            "blank": lambda _: [ChatChunk(text=" \n"), *self._end("stop")],
            "thought only": self._thought_only,
            "open think tag": lambda _: [ChatChunk(text="<think>hm"), *self._end("stop")],
            "truncated": lambda _: [ChatChunk(text=self._words()), *self._end("length")],
            "filtered": lambda _: self._end("content_filter"),
            "unfinished": lambda _: [ChatChunk(text=self._words()), *self._end("other")],
            "call": self._call,
            "interleaved calls": self._interleaved,
            "duplicate ids": self._duplicate_ids,
            "broken arguments": self._broken_arguments,
            "cut call": self._cut_call,
            "unknown tool": lambda _: [*self._whole("launch_rocket", "{}"), *self._end("stop")],
            "call as text": self._call_as_text,
            "call as fence": self._call_as_fence,
            "garbage": self._garbage,
            "call storm": self._storm,
        }

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = ChatOptions(),  # noqa: B008  # as in the protocol; frozen
    ) -> AsyncIterator[ChatChunk]:
        """Play one turn; it may fail before, within or after its chunks."""
        kind = "call" if self._loops and tools else self._random.choice(list(self._menu))
        self.misbehaviours.append(kind)
        fails_at = self._random.randrange(12) if self._random.random() < 0.15 else None
        for position, chunk in enumerate(self._menu[kind](tools)):
            if position == fails_at:
                break
            if self._random.random() < 0.05:
                await asyncio.sleep(0)
            yield chunk
        if fails_at is not None:
            self.misbehaviours[-1] += " + error"
            raise ModelError(self._random.choice(_KINDS), "fuzzed failure")

    def _end(self, finish: FinishReason | None) -> list[ChatChunk]:
        chunks = [ChatChunk(finish_reason=finish)] if finish else []
        if self._random.random() < 0.5:
            usage = Usage(input_tokens=self._random.randrange(20_000), output_tokens=9)
            chunks.append(ChatChunk(usage=usage))
        return chunks

    def _words(self) -> str:
        return " ".join(self._random.choices(_WORDS, k=self._random.randrange(1, 40)))

    def _pieces(self, text: str, *, most: int = 12) -> list[str]:
        pieces = []
        while text:
            size = self._random.randrange(1, most)
            pieces.append(text[:size])
            text = text[size:]
        return pieces

    def _whole(
        self, name: str, arguments: str, *, call_id: str = "x", index: int = 0
    ) -> list[ChatChunk]:
        delta = ToolCallDelta(index=index, call_id=call_id, name=name, arguments=arguments)
        return [ChatChunk(tool_call=delta)]

    def _tool(self, tools: Sequence[ToolSpec]) -> str:
        names = [tool.name for tool in tools] or ["search"]
        return self._random.choice(names)

    def _arguments(self) -> str:
        if self._loops:
            return '{"queries": ["same"]}'
        values = ("x", ["x"], 3, "3", None, True, "c1", "c99", {"a": 1}, "\ud800", "\x00", 1e300)
        keys = ("queries", "query", "document_id", "text", "limit")
        chosen = {key: self._random.choice(values) for key in self._random.sample(keys, 2)}
        return json.dumps(chosen)

    def _answer(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        thought = [ChatChunk(reasoning=self._words())] if self._random.random() < 0.5 else []
        text = [ChatChunk(text=piece) for piece in self._pieces(self._words())]
        return [*thought, *text, *self._end("stop")]

    def _answer_in_bytes(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        text = f"<think>{self._words()}</think>{self._words()}"
        return [*(ChatChunk(text=character) for character in text), *self._end("stop")]

    def _thought_only(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        return [ChatChunk(reasoning=self._words()), *self._end(self._random.choice(_FINISHES))]

    def _call(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        preamble = [ChatChunk(text=self._words())] if self._random.random() < 0.5 else []
        return [*preamble, *self._cut_up([self._arguments()], tools), *self._end("tool_calls")]

    def _cut_up(self, calls: Sequence[str], tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        queues = []
        for index, arguments in enumerate(calls):
            first = ToolCallDelta(index=index, call_id=f"call_{index}", name=self._tool(tools))
            rest = [
                ToolCallDelta(index=index, arguments=piece) for piece in self._pieces(arguments)
            ]
            queues.append([first, *rest])
        out = []
        while queues := [queue for queue in queues if queue]:
            out.append(ChatChunk(tool_call=self._random.choice(queues).pop(0)))
        return out

    def _interleaved(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        several = [self._arguments() for _ in range(self._random.randrange(2, 5))]
        return [*self._cut_up(several, tools), *self._end(self._random.choice(_FINISHES))]

    def _duplicate_ids(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        chunks = []
        for index in range(3):
            call_id = self._random.choice(("same", "", "ü/!"))
            chunks += self._whole(
                self._tool(tools), self._arguments(), call_id=call_id, index=index
            )
        return [*chunks, *self._end("tool_calls")]

    def _broken_arguments(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        broken = ("{'queries': ['x']}", '{"queries": ["x"', "null", "[]", "nonsense", "{" * 3000)
        return [
            *self._whole(self._tool(tools), self._random.choice(broken)),
            *self._end(self._random.choice(_FINISHES)),
        ]

    def _cut_call(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        arguments = self._arguments()
        cut = arguments[: self._random.randrange(len(arguments))]
        return [*self._whole(self._tool(tools), cut), *self._end("length")]

    def _call_as_text(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        name, arguments = self._tool(tools), self._arguments()
        form = self._random.choice(
            (
                f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>',
                f'<tool_call>{{"name": "{name}", "arguments": {arguments}',
                f"<function={name}>{arguments}</function>",
                f"<function={name}><parameter=text>x",
                "<tool_call>",
            )
        )
        return [*(ChatChunk(text=piece) for piece in self._pieces(form)), *self._end("stop")]

    def _call_as_fence(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        body = f'{{"name": "{self._tool(tools)}", "arguments": {self._arguments()}}}'
        text = f"{self._words()}\n```json\n{body}\n```"
        return [*(ChatChunk(text=piece) for piece in self._pieces(text)), *self._end("stop")]

    def _garbage(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        characters = "<>[]{}`\"'\\/\n \x00\ud83d\ude00\ufffdthinkc1res:0"
        text = "".join(self._random.choices(characters, k=200))
        return [*(ChatChunk(text=piece) for piece in self._pieces(text)), *self._end("stop")]

    def _storm(self, tools: Sequence[ToolSpec]) -> list[ChatChunk]:
        calls = [
            chunk
            for index in range(60)
            for chunk in self._whole(
                self._tool(tools), self._arguments(), call_id=f"s{index}", index=index
            )
        ]
        return [*calls, *self._end("tool_calls")]
