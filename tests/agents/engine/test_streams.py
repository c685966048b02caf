"""Putting a turn together: the same result however the text is cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.events import AgentEvent, AnswerDelta, AnswerReset, PreambleMoved, ThoughtDelta
from agents.engine.state import RunState
from agents.engine.streams import TurnReader
from agents.engine.testing import a_run, ticking_clock
from agents.engine.turns import Turn
from providers.contracts.chat import ChatChunk, ToolCallDelta

TEXTS = [
    "Plain text [c1], and [c2][c1]. 【c1、c2】 Unknown [c9]; [1] and [x] stay.",
    "<think>First I look.</think>\n\nThirty days [c1].",
    "Everything before was thought.</think>The answer [c2].",
    'I will search.\n<tool_call>{"name": "search", "arguments": {"queries": ["a"]}}</tool_call>',
    'Look:\n```json\n{"name": "search", "arguments": {"queries": ["a"]}}\n```\n',
    "<function=search><parameter=queries>notice</parameter></function>",
    "Code: `x[c1]` and\n```python\narr[c1]\n```\nbut here [c1]. ![a](res://0001) res://9999",
    "<think>never closed, with [c1] inside",
    "A < b, a [ b, res: and r alone, `unclosed\nbut [c2] here.",
    "😀 三十日 [c1]。\n<tool_call>broken",
]


def read(pieces: list[str], *, has_tools: bool = True) -> tuple[Turn, list[AgentEvent], RunState]:
    state = a_run()
    state.aliases.chunk("chunk-1", document_id="doc-1")
    state.aliases.chunk("chunk-2", document_id="doc-2")
    state.aliases.resource("/files/picture.png")
    reader = TurnReader(
        state,
        is_known=lambda name: name == "search",
        has_tools=has_tools,
        clock=ticking_clock(),
    )
    events = [event for piece in pieces for event in reader.feed(ChatChunk(text=piece))]
    turn, last = reader.finish()
    return turn, [*events, *last], state


def shown(events: list[AgentEvent]) -> tuple[str, str, list[str]]:
    """What a client has at the end: answer, thoughts, preambles."""
    answer, thoughts, preambles = "", "", []
    for event in events:
        if isinstance(event, AnswerDelta):
            answer += event.text
        elif isinstance(event, AnswerReset):
            answer = ""
        elif isinstance(event, ThoughtDelta):
            thoughts += event.text
        elif isinstance(event, PreambleMoved):
            preambles.append(event.text)
    return answer, thoughts, preambles


def cut(text: str, places: list[int]) -> list[str]:
    at = sorted({place % (len(text) + 1) for place in places})
    return [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True) if a != b]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@given(places=st.lists(st.integers(0, 500), max_size=40))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_any_cut_of_the_text_gives_the_same_turn(text: str, places: list[int]) -> None:
    whole_turn, whole_events, whole_state = read([text])
    cut_turn, cut_events, cut_state = read(cut(text, places))
    assert cut_turn == whole_turn
    assert shown(cut_events) == shown(whole_events)
    assert cut_state == whole_state


@given(text=st.text(alphabet="[]c12, <>/think`\nres:0{}x", max_size=60), data=st.data())
@settings(deadline=None, max_examples=300, derandomize=True)
def test_any_cut_of_any_text_gives_the_same_turn(text: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, 60), max_size=20))
    whole, cut_up = read([text]), read(cut(text, places))
    assert cut_up[0] == whole[0]
    assert shown(cut_up[1]) == shown(whole[1])


@given(text=st.text(alphabet="abc [c1]\n.", max_size=80))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_what_is_shown_is_what_the_state_holds(text: str) -> None:
    _, events, state = read(list(text))
    assert shown(events)[0] == state.answer


def test_think_tags_and_the_reasoning_channel_are_thoughts() -> None:
    turn, events, _ = read(["<thi", "nk>Let me see.</th", "ink>\n\nThirty days [c", "1]."])
    assert turn.reasoning == "Let me see."
    assert turn.text == "Thirty days [c1]."
    assert shown(events) == ("Thirty days [1].", "Let me see.", [])
    kinds = [event.type for event in events]
    assert kinds.index("thought_finished") < kinds.index("answer_delta")


def test_a_closing_tag_alone_makes_everything_before_it_a_thought() -> None:
    turn, events, _ = read(["I should look.", "</think>", "Thirty days."])
    assert shown(events) == ("Thirty days.", "I should look.", [])
    assert [e.reason for e in events if isinstance(e, AnswerReset)] == ["thought"]
    assert turn.text == "Thirty days."


def test_a_call_printed_as_text_becomes_a_call_and_its_words_a_preamble() -> None:
    turn, events, state = read([TEXTS[3]])
    assert [(call.name, json.loads(call.arguments)) for call in turn.calls] == [
        ("search", {"queries": ["a"]})
    ]
    assert turn.text == "I will search."
    assert shown(events) == ("", "", ["I will search."])
    assert state.answer == ""


def test_a_call_printed_as_json_in_a_fence_is_taken_back() -> None:
    turn, events, _ = read([TEXTS[4]])
    assert [call.name for call in turn.calls] == ["search"]
    assert shown(events) == ("", "", ["Look:"])
    assert [e.reason for e in events if isinstance(e, AnswerReset)] == ["tool_call_in_text"]


def test_json_in_an_answer_stays_when_it_names_no_tool() -> None:
    text = 'Use:\n```json\n{"name": "Ada", "arguments": {"a": 1}}\n```'
    turn, events, _ = read([text])
    assert turn.calls == ()
    assert shown(events)[0] == text


def test_printed_calls_vanish_when_there_are_no_tools() -> None:
    turn, events, _ = read([TEXTS[3]], has_tools=False)
    assert turn.calls == ()
    assert shown(events)[0] == "I will search.\n"


def test_native_calls_win_over_printed_ones() -> None:
    state = a_run()
    reader = TurnReader(state, is_known=bool, has_tools=True, clock=ticking_clock())
    reader.feed(ChatChunk(text="<tool_call>{}</tool_call>"))
    reader.feed(ChatChunk(tool_call=ToolCallDelta(index=0, call_id="a", name="search")))
    turn, _ = reader.finish()
    assert [call.call_id for call in turn.calls] == ["a"]


def test_words_behind_a_native_call_are_part_of_the_preamble() -> None:
    state = a_run()
    reader = TurnReader(state, is_known=bool, has_tools=True, clock=ticking_clock())
    events = []
    for chunk in (
        ChatChunk(text="I search. "),
        ChatChunk(tool_call=ToolCallDelta(index=0, call_id="a", name="search")),
        ChatChunk(text="Please wait."),
    ):
        events += reader.feed(chunk)
    _, last = reader.finish()
    assert shown([*events, *last]) == ("", "", ["I search.", "Please wait."])
    assert state.answer == ""


def test_little_is_held_back_while_text_streams() -> None:
    _, events, state = read(["Thirty days is the notice"])
    assert state.answer == "Thirty days is the notice"
    state = a_run()
    reader = TurnReader(state, is_known=bool, has_tools=True, clock=ticking_clock())
    longest = 0
    for count, character in enumerate("Thirty days is the notice period of this contract. " * 5, 1):
        reader.feed(ChatChunk(text=character))
        longest = max(longest, count - len(state.answer))
    assert longest <= 3


def test_half_a_surrogate_pair_waits_for_its_other_half() -> None:
    turn, events, _ = read(["smile \ud83d", "\ude00 and a lone \ud83d ", "nul \x00."])
    assert turn.text == "smile 😀 and a lone � nul ."
    assert shown(events)[0] == turn.text
