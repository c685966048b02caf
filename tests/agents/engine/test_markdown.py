"""Where code is in streamed Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.markdown import CodeTracker, held_suffix
from agents.engine.printed_calls import WRAPPER_STARTS
from agents.engine.think_tags import _ANY


def in_code(text: str, *, pieces: list[int] | None = None) -> bool:
    tracker = CodeTracker()
    at = sorted({each % (len(text) + 1) for each in pieces or []})
    for start, stop in zip([0, *at], [*at, len(text)], strict=True):
        tracker.feed(text[start:stop])
    return tracker.in_code_at("x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ", False),
        ("a `", True),
        ("a `b` ", False),
        ("a ``b` ", True),
        ("a ``b`` ", False),
        ("a `b\n", False),
        ("```\n", True),
        ("```py\nx\n```\n", False),
        ("````\n```\n", True),
        ("  ```\n", True),
        ("a ```\n", False),
        ("```\nx ``` y\n", True),
    ],
)
def test_code_is_found(text: str, expected: bool) -> None:
    assert in_code(text) is expected


@given(
    text=st.text(alphabet="a` \n", max_size=40), pieces=st.lists(st.integers(0, 40), max_size=40)
)
@settings(deadline=None, max_examples=300, derandomize=True)
def test_cuts_do_not_matter(text: str, pieces: list[int]) -> None:
    assert in_code(text, pieces=pieces) == in_code(text, pieces=list(range(len(text))))


def test_all_markers_begin_as_the_search_expects() -> None:
    assert {marker[0] for marker in (*WRAPPER_STARTS, *_ANY)} <= {"<", "["}


@pytest.mark.parametrize(
    ("text", "held"),
    [("a <", 1), ("a <tool", 5), ("a <tool_call", 0), ("<x", 0), ("", 0), ("[TOOL_CALLS", 11)],
)
def test_only_the_beginning_of_a_marker_is_held(text: str, held: int) -> None:
    assert held_suffix(text, WRAPPER_STARTS) == held
