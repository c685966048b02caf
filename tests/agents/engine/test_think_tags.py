"""Think tags inside of text."""

from __future__ import annotations

import pytest

from agents.engine.think_tags import Segment, ThinkSplitter


def split(*pieces: str) -> list[tuple[str, str]]:
    splitter = ThinkSplitter()
    found: list[Segment] = [each for piece in pieces for each in splitter.feed(piece)]
    found += splitter.finish()
    merged: list[tuple[str, str]] = []
    for segment in found:
        if merged and merged[-1][0] == segment.kind:
            merged[-1] = (segment.kind, merged[-1][1] + segment.text)
        else:
            merged.append((segment.kind, segment.text))
    return merged


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["<think>a</think>b"], [("thought", "a"), ("text", "b")]),
        (["<", "think", ">a<", "/think>", "b"], [("thought", "a"), ("text", "b")]),
        (["<thinking>a</thinking>b"], [("thought", "a"), ("text", "b")]),
        (["x\n<think>a</think>y"], [("text", "x\n"), ("thought", "a"), ("text", "y")]),
        (["the <think> tag"], [("text", "the <think> tag")]),
        (["`</think>` closes"], [("text", "`</think>` closes")]),
        (["```\n<think>\n```"], [("text", "```\n<think>\n```")]),
        (["a</think>b"], [("text", "a"), ("all_was_thought", ""), ("text", "b")]),
        (["<think>a</think>b</think>c"], [("thought", "a"), ("text", "b</think>c")]),
        (["<think>open"], [("thought", "open")]),
        (["1 < 2 <th"], [("text", "1 < 2 <th")]),
    ],
    ids=[
        "whole",
        "cut",
        "long tag",
        "later line",
        "inside of a line",
        "inline code",
        "fence",
        "closing only",
        "second closing",
        "never closed",
        "never a tag",
    ],
)
def test_thoughts_are_separated(pieces: list[str], expected: list[tuple[str, str]]) -> None:
    assert split(*pieces) == expected
