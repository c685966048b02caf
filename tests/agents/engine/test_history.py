"""Conversations as every vendor takes them."""

from __future__ import annotations

from agents.engine.history import (
    NO_RESULT,
    REDACTED_RESULT,
    compact_results,
    redact_stale_results,
    sanitise,
)
from providers.contracts.chat import ChatMessage, ImagePart, ToolCall


def asked(*ids: str, name: str = "search") -> ChatMessage:
    calls = tuple(ToolCall(call_id=each, name=name) for each in ids)
    return ChatMessage(role="assistant", tool_calls=calls)


def result(call_id: str, content: str = "found") -> ChatMessage:
    return ChatMessage(role="tool", content=content, call_id=call_id)


def user(content: str, *, pictures: int = 0) -> ChatMessage:
    images = (ImagePart(media_type="image/png", data_base64=""),) * pictures
    return ChatMessage(role="user", content=content, images=images)


def test_results_without_a_call_are_dropped() -> None:
    assert sanitise([user("a"), result("lost"), user("b")]) == [user("a\n\nb")]


def test_calls_without_a_result_get_one() -> None:
    fixed = sanitise([asked("a", "b"), result("b"), user("go on")])
    assert [(m.role, m.content) for m in fixed] == [
        ("assistant", ""),
        ("tool", NO_RESULT),
        ("tool", "found"),
        ("user", "go on"),
    ]


def test_neighbours_of_one_role_become_one_with_their_pictures() -> None:
    fixed = sanitise([user("a", pictures=1), user("b", pictures=2)])
    assert fixed == [user("a\n\nb", pictures=3)]


def test_empty_turns_vanish() -> None:
    blank = ChatMessage(role="assistant", content=" \n")
    assert sanitise([user("a"), blank, user("b")]) == [user("a\n\nb")]


def test_a_good_conversation_stays_as_it_is() -> None:
    good = [user("a"), asked("x"), result("x"), ChatMessage(role="assistant", content="b")]
    assert sanitise(good) == good
    assert sanitise(sanitise(good)) == good


def test_stale_results_of_retrieval_are_left_out() -> None:
    messages = [asked("a"), result("a"), asked("b", name="write_file"), result("b", "written")]
    redacted = redact_stale_results(messages, tool_names={"search"})
    assert [m.content for m in redacted if m.role == "tool"] == [REDACTED_RESULT, "written"]


def test_long_results_of_history_are_cut() -> None:
    cut = compact_results([asked("a"), result("a", "x" * 5_000)], max_chars=300)
    assert len(cut[1].content) == 300
