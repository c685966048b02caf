"""Assembling tool calls from pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.call_deltas import CallAssembler
from providers.contracts.chat import ToolCallDelta


def assemble(*deltas: tuple[int, str, str, str]) -> list[tuple[str, str, str]]:
    assembler = CallAssembler({"search", "read", "knowledge_search"}.__contains__)
    for index, call_id, name, arguments in deltas:
        assembler.feed(ToolCallDelta(index=index, call_id=call_id, name=name, arguments=arguments))
    return [(call.call_id, call.name, call.arguments) for call in assembler.calls()]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        (
            [(0, "a", "search", ""), (0, "", "", '{"q"'), (0, "", "", ": 1}")],
            [("a", "search", '{"q": 1}')],
        ),
        (
            [
                (0, "a", "search", '{"q"'),
                (1, "b", "read", '{"d"'),
                (0, "", "", ":1}"),
                (1, "", "", ":2}"),
            ],
            [("a", "search", '{"q":1}'), ("b", "read", '{"d":2}')],
        ),
        (
            [(0, "a", "search", '{"q": 1}'), (0, "b", "read", '{"d": 2}')],
            [("a", "search", '{"q": 1}'), ("b", "read", '{"d": 2}')],
        ),
        (
            [(0, "", "search", '{"q": 1}'), (0, "", "search", '{"q": 2}')],
            [("", "search", '{"q": 1}'), ("", "search", '{"q": 2}')],
        ),
        (
            [(0, "a", "search", ""), (0, "a", "search", '{"q"'), (0, "a", "search", ": 1}")],
            [("a", "search", '{"q": 1}')],
        ),
        (
            [(0, "", "search", '{"q"'), (0, "a", "", ": 1}")],
            [("a", "search", '{"q": 1}')],
        ),
        (
            [(0, "a", "knowledge_", ""), (0, "", "search", "{}")],
            [("a", "knowledge_search", "{}")],
        ),
        (
            [(0, "a", "search", '{"q"'), (0, "a", "", '{"q": 1}')],
            [("a", "search", '{"q": 1}')],
        ),
        ([(3, "a", "search", "")], [("a", "search", "{}")]),
    ],
    ids=[
        "by index",
        "interleaved",
        "one index, two ids",
        "whole calls without ids",
        "id and name repeated",
        "late id",
        "name in two pieces",
        "everything so far",
        "no arguments",
    ],
)
def test_calls_are_assembled(
    deltas: list[tuple[int, str, str, str]], expected: list[tuple[str, str, str]]
) -> None:
    assert assemble(*deltas) == expected


@given(
    order=st.permutations([0] * 8 + [1] * 8),
    cuts=st.lists(st.integers(1, 30), min_size=14, max_size=14),
)
@settings(deadline=None, max_examples=100, derandomize=True)
def test_interleaving_and_cuts_do_not_matter(order: list[int], cuts: list[int]) -> None:
    texts = ['{"queries": ["notice period"]}', '{"document": "d1", "page": 12}']
    queues = []
    for text, own in zip(texts, (cuts[:7], cuts[7:]), strict=True):
        at = sorted({cut % len(text) for cut in own} - {0})
        pieces = [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]
        queues.append(pieces)
    deltas = [(0, "a", "search", ""), (1, "b", "read", "")]
    for which in [*order, *([0] * 8), *([1] * 8)]:
        if queues[which]:
            deltas.append((which, "", "", queues[which].pop(0)))
    assert assemble(*deltas) == [("a", "search", texts[0]), ("b", "read", texts[1])]
