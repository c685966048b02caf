"""Aliases in a streamed answer become public markers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.aliases import Aliases
from agents.engine.citations import MAX_HELD_CHARS, Citation, CitationDecoder, join_texts


def sources() -> Aliases:
    aliases = Aliases()
    for number in (1, 2, 3):
        aliases.chunk(f"chunk-{number}", document_id=f"doc-{number}", title=f"File {number}")
    aliases.document("doc-1")
    aliases.base("base-1")
    aliases.web("https://example.org/a", title="Example")
    aliases.resource("/files/picture.png")
    return aliases


def decode(*pieces: str) -> tuple[str, list[Citation], int]:
    citations: list[Citation] = []
    decoder = CitationDecoder(sources(), citations)
    items = [item for piece in pieces for item in decoder.feed(piece)]
    items += decoder.finish()
    return join_texts(items), citations, decoder.unknown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [c2] b [c1] c [c2]", "a [1] b [2] c [1]"),
        ("a [c1, c3]", "a [1][2]"),
        ("a [c1][c2]", "a [1][2]"),
        ("a[c1].", "a[1]."),
        ("甲【c1】乙【c2、c1】", "甲[1]乙[2][1]"),
        ("a [c1; c2 c3]", "a [1][2][3]"),
        ("a [ c1 ] and [^c2]", "a [1] and [2]"),
        ("a [C1]", "a [1]"),
        ("a [d1] [w1]", "a [1] [2]"),
        ("a [c1, c1]", "a [1]"),
        ("a [c9].", "a."),
        ("a [c9] b", "a b"),
        ("a [c1, c9] b", "a [1] b"),
        ("a [b1] b", "a b"),
        ("level [B2] or [C9]", "level [B2] or [C9]"),
        ("[1] [x] [c] [c1x] [cc1] [] [c0]", "[1] [x] [c] [c1x] [cc1] [] [c0]"),
        ("`x[c1]` and [c1]", "`x[c1]` and [1]"),
        ("```\narr[c1]\n``` [c1]", "```\narr[c1]\n``` [1]"),
        ("a ` b [c1]\nnext [c1]", "a ` b [c1]\nnext [1]"),
        ("![p](res://0001)", "![p](/files/picture.png)"),
        ("![p](res://0099)", "![p](#)"),
        ("res:// and r", "res:// and r"),
        ("a [c1", "a [c1"),
    ],
)
def test_text_is_decoded(text: str, expected: str) -> None:
    assert decode(text)[0] == expected
    assert decode(*text)[0] == expected


def test_citations_are_numbered_by_first_use_and_say_what_they_point_to() -> None:
    _, citations, _ = decode("[w1] [c2] [w1] [d1]")
    assert [(each.marker, each.alias, each.kind) for each in citations] == [
        (1, "w1", "web"),
        (2, "c2", "chunk"),
        (3, "d1", "document"),
    ]
    assert citations[0].url == "https://example.org/a"
    assert (citations[1].chunk_id, citations[1].document_id) == ("chunk-2", "doc-2")
    assert (citations[2].chunk_id, citations[2].document_id) == (None, "doc-1")


def test_unknown_aliases_are_counted() -> None:
    assert decode("a [c7] b [c1, c8] c [b1]")[2] == 3


def test_a_group_that_is_too_long_is_text() -> None:
    text = "[" + ", ".join(["c1"] * MAX_HELD_CHARS) + "]"
    assert decode(text)[0] == text
    assert decode(*text)[0] == text


@given(text=st.text(alphabet="[]【】cdw12, `\n.r:/es", max_size=80), data=st.data())
@settings(deadline=None, max_examples=400, derandomize=True)
def test_the_result_does_not_depend_on_the_cuts(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, 80), max_size=30)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, 1000], strict=True)]
    assert decode(*pieces) == decode(text)


@given(text=st.text(alphabet="abc d1.\n", max_size=60))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_text_without_brackets_passes_unchanged(text: str) -> None:
    assert decode(*text)[0] == text


@given(text=st.text(alphabet="[c1, ab", max_size=300))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_no_more_than_the_limit_is_held_back(text: str) -> None:
    decoder = CitationDecoder(sources(), [])
    shown = sum(len(join_texts(decoder.feed(character))) for character in text)
    held = len(join_texts(decoder.finish()))
    assert held <= MAX_HELD_CHARS + 1
    assert shown + held <= len(text)
