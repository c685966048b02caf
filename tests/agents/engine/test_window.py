"""Arithmetic of the context window."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from agents.engine.tokens import EstimatedCounter, MessageCounter
from agents.engine.window import cut_point, shorten_results
from providers.contracts.chat import ChatMessage, ToolCall

COUNTER = MessageCounter(EstimatedCounter())


@st.composite
def conversations(draw: st.DrawFn) -> list[ChatMessage]:
    messages = [ChatMessage(role="system", content="s")]
    for turn in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            messages.append(ChatMessage(role="user", content="u" * draw(st.integers(1, 400))))
        ids = [f"{turn}-{number}" for number in range(draw(st.integers(0, 3)))]
        asked = tuple(ToolCall(call_id=each, name="search") for each in ids)
        messages.append(ChatMessage(role="assistant", content="a", tool_calls=asked))
        messages += [
            ChatMessage(role="tool", content="t" * draw(st.integers(0, 900)), call_id=each)
            for each in ids
        ]
    return messages


@given(messages=conversations(), keep=st.integers(0, 500))
@settings(deadline=None, max_examples=200, derandomize=True)
def test_calls_and_results_stay_on_one_side(messages: list[ChatMessage], keep: int) -> None:
    at = cut_point(messages, first=1, keep=keep, counter=COUNTER)
    assert 1 <= at < len(messages)
    before = {made.call_id for message in messages[:at] for made in message.tool_calls}
    after = {message.call_id for message in messages[at:] if message.role == "tool"}
    assert not before & after


@given(messages=conversations(), budget=st.integers(100, 1_000))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_shortened_results_keep_their_places(messages: list[ChatMessage], budget: int) -> None:
    out = shorten_results(messages, budget=budget, counter=COUNTER)
    assert [(m.role, m.call_id) for m in out] == [(m.role, m.call_id) for m in messages]
    for old, new in zip(messages, out, strict=True):
        assert len(new.content) <= len(old.content)


def test_the_newest_result_keeps_most() -> None:
    messages = [ChatMessage(role="tool", content="x" * 8_000, call_id=str(n)) for n in range(3)]
    sizes = [len(m.content) for m in shorten_results(messages, budget=1_500, counter=COUNTER)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]
