"""Putting one turn of the model together from its chunks, and telling of it as it comes.

Text is shown as answer at once. When a tool call follows in the same turn it was a preamble and
moves into the steps (`PreambleMoved`, `AnswerReset`). Order of the filters: think tags, printed tool
calls (held back from the beginning of their wrapper), citations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.engine.call_deltas import CallAssembler
from agents.engine.citations import Citation, CitationDecoder, join_texts
from agents.engine.cleaning import TextCleaner
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerReset,
    PreambleMoved,
    ResetReason,
    ThoughtDelta,
    ThoughtFinished,
)
from agents.engine.markdown import CodeTracker, held_suffix
from agents.engine.printed_calls import WRAPPER_STARTS, find_printed_calls, wrapper_start
from agents.engine.state import RunState
from agents.engine.think_tags import Segment, ThinkSplitter
from agents.engine.turns import Turn
from providers.contracts.chat import ChatChunk, FinishReason, ToolCall, Usage


class TurnReader:
    """Reads the chunks of one turn; the answer's public text grows in the state."""

    def __init__(
        self,
        state: RunState,
        *,
        is_known: Callable[[str], bool],
        has_tools: bool,
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._is_known = is_known
        self._has_tools = has_tools
        self._clock = clock
        self._splitter = ThinkSplitter()
        self._calls = CallAssembler(is_known)
        self._decoder = state.citation_decoder()
        self._code = CodeTracker()
        self._gated = ""
        """May be the beginning of a wrapper."""
        self._wrapper = ""
        """From the beginning of a wrapper on."""
        self._text = ""
        """As the model wrote it, without thoughts and wrappers."""
        self._late_words = ""
        self._reasoning = ""
        self._thinking_since: float | None = None
        self._finish_reason: FinishReason | None = None
        self._usage: Usage | None = None
        self._clean_text = TextCleaner()
        self._clean_reasoning = TextCleaner()
        self.read_chars = 0
        """Size of the turn so far."""

    def feed(self, chunk: ChatChunk) -> list[AgentEvent]:
        """Return the events of one chunk."""
        events: list[AgentEvent] = []
        self.read_chars += len(chunk.text) + len(chunk.reasoning)
        if chunk.reasoning:
            self._think(self._clean_reasoning.feed(chunk.reasoning), events)
        if chunk.text:
            self._segments(self._splitter.feed(self._clean_text.feed(chunk.text)), events)
        if chunk.tool_call is not None:
            if not self._calls:
                self._end_thought(events)
                self._move_preamble(events)
            self.read_chars += len(chunk.tool_call.arguments)
            self._calls.feed(chunk.tool_call)
        self._finish_reason = chunk.finish_reason or self._finish_reason
        self._usage = chunk.usage or self._usage
        return events

    def cut(self) -> None:
        """Note that the turn was stopped from outside because it grew too long."""
        self._finish_reason = "length"

    def finish(self) -> tuple[Turn, list[AgentEvent]]:
        """Return the whole turn and the last events."""
        events: list[AgentEvent] = []
        self._segments(self._splitter.finish(), events)
        self._show(self._gated, events)
        self._end_thought(events)
        calls = self._calls.calls()
        if calls:
            self._move_preamble(events)
        else:
            calls = self._take_printed_calls(events)
        self._show_items(self._decoder.finish(), events)
        self._state.unknown_citations += self._decoder.unknown
        turn = Turn(
            text=self._text.strip(),
            reasoning=self._reasoning.strip(),
            calls=calls,
            finish_reason=self._finish_reason,
            usage=self._usage,
        )
        return turn, events

    # Thoughts

    def _think(self, text: str, events: list[AgentEvent]) -> None:
        if self._thinking_since is None:
            text = text.lstrip()
            if not text:
                return
            self._thinking_since = self._clock()
        self._reasoning += text
        events.append(ThoughtDelta(round=self._state.round, text=text))

    def _end_thought(self, events: list[AgentEvent]) -> None:
        if self._thinking_since is None:
            return
        duration_ms = round((self._clock() - self._thinking_since) * 1000)
        self._thinking_since = None
        events.append(ThoughtFinished(round=self._state.round, duration_ms=duration_ms))

    # Text

    def _segments(self, segments: list[Segment], events: list[AgentEvent]) -> None:
        for segment in segments:
            if segment.kind == "thought":
                self._think(segment.text, events)
            elif segment.kind == "all_was_thought":
                self._take_back_as_thought(events)
            else:
                self._gate(segment.text, events)

    def _take_back_as_thought(self, events: list[AgentEvent]) -> None:
        thought = self._text + self._wrapper + self._gated
        self._text = self._wrapper = self._gated = ""
        self._code = CodeTracker()
        self._decoder = self._state.citation_decoder()
        self._reset(events, "thought")
        self._think(thought, events)

    def _gate(self, text: str, events: list[AgentEvent]) -> None:
        """Show text up to a wrapper; keep the rest until the turn is complete."""
        if self._wrapper:
            self._wrapper += text
            return
        text = self._gated + text
        held = held_suffix(text, WRAPPER_STARTS)
        ready, self._gated = text[: len(text) - held], text[len(text) - held :]
        start = wrapper_start(ready, self._code)
        if start is not None:
            self._wrapper, self._gated = ready[start:] + self._gated, ""
            ready = ready[:start]
        self._show(ready, events)

    def _show(self, text: str, events: list[AgentEvent]) -> None:
        if not self._text:
            text = text.lstrip()
        if text:
            self._end_thought(events)
            self._text += text
            self._show_items(self._decoder.feed(text), events)

    def _show_items(self, items: Sequence[str | Citation], events: list[AgentEvent]) -> None:
        if self._calls:
            # Words behind a call are part of the announcement, they never were an answer.
            self._late_words += join_texts(items)
            self._state.withdraw_answer()
            return
        for item in items:
            if isinstance(item, Citation):
                events.append(item.as_event())
            elif item:
                self._state.answer += item
                events.append(AnswerDelta(text=item))

    def _reset(self, events: list[AgentEvent], reason: ResetReason) -> None:
        shown = bool(self._state.answer)
        self._state.withdraw_answer()
        if shown:
            events.append(AnswerReset(reason=reason))

    def _move_preamble(self, events: list[AgentEvent]) -> None:
        self._show_items(self._decoder.finish(), events)
        preamble = (self._state.answer or self._late_words).strip()
        if preamble:
            events.append(PreambleMoved(round=self._state.round, text=preamble))
        self._reset(events, "preamble")

    # Calls printed as text

    def _take_printed_calls(self, events: list[AgentEvent]) -> tuple[ToolCall, ...]:
        found = find_printed_calls(self._text + self._wrapper, is_known=self._is_known)
        if not found.calls:
            wrapper, self._wrapper = self._wrapper, ""
            self._show(wrapper, events)
            return ()
        if not self._has_tools:
            self._show(found.text.removeprefix(self._text.strip()), events)
            return ()
        self._text = found.text
        preamble = self._public(found.text)
        if preamble:
            events.append(PreambleMoved(round=self._state.round, text=preamble))
        self._decoder = self._state.citation_decoder()
        self._reset(events, "tool_call_in_text")
        return tuple(
            ToolCall(call_id="", name=call.name, arguments=call.arguments or "{}")
            for call in found.calls
        )

    def _public(self, text: str) -> str:
        decoder = CitationDecoder(self._state.aliases, [], shows_markers=self._state.shows_markers)
        return join_texts([*decoder.feed(text), *decoder.finish()]).strip()
