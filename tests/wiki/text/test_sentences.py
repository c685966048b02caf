"""Sentences of Markdown, and the name of a sentence."""

from __future__ import annotations

import pytest

from wiki.text.sentences import sentence_hash, split_sentences


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("One. Two!  Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. Cole paid 3.5 million, e.g. for St. Ives. She left.",
            ["Dr. Cole paid 3.5 million, e.g. for St. Ives.", "She left."],
        ),
        ("虚空共振。它“真的。”存在！是吗？", ["虚空共振。", "它“真的。”", "存在！", "是吗？"]),
        ("# Title. Not one.\n\nUnder it.\nstill it", ["Under it.", "still it"]),
        ("Setext\n======\n\nText.", ["Text."]),
        (
            "- One. Still one.\n  and on\n- [ ] Two\n1. Three",
            ["One. Still one.\n  and on", "Two", "Three"],
        ),
        ("| a | b |\n|---|---|\n| 1. x | 2 |\n| 3 | 4 |", ["| 1. x | 2 |", "| 3 | 4 |"]),
        ("Before.\n\n```\ncode. code.\n```\n\nAfter.", ["Before.", "After."]),
        ("See [[a/b|Mr. X. Y]] there. Next.", ["See [[a/b|Mr. X. Y]] there.", "Next."]),
        ("> Quoted. Twice.\n> Thrice.", ["Quoted.", "Twice.", "Thrice."]),
        ("Text.\n\n---\n\n<!-- a note. -->\n\n    indented. code.\n\nEnd", ["Text.", "End"]),
        ("", []),
    ],
)
def test_sentences(content: str, expected: list[str]) -> None:
    found = split_sentences(content)
    assert [sentence.text for sentence in found] == expected
    assert all(content[each.start : each.end] == each.text for each in found)


def test_links_emphasis_and_white_space_do_not_rename_a_sentence() -> None:
    plain = sentence_hash("StarQuartz is made by SkyVault.")
    assert plain == sentence_hash("**StarQuartz** is made\nby [[entity/skyvault|SkyVault]].")
    assert plain == sentence_hash("StarQuartz is made by [SkyVault](https://sky.example).")
    assert sentence_hash("See [[old/slug]].") == sentence_hash("See [[new/slug]].")
    assert plain != sentence_hash("StarQuartz is made by SkyVaults.")
