"""Changing a page by sentences: all else stays byte for byte."""

from __future__ import annotations

import pytest

from wiki.text.patch import with_added, with_sentences, without_sentences
from wiki.text.sentences import sentence_hash, split_sentences

PAGE = "Lead one. Lead two.\n\n## Facts\n\n- Item a.\n- Item b.\n\n## More\n\nOnly this.\n"


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        ("Lead one.", PAGE.replace("Lead one. ", "")),
        ("Lead two.", PAGE.replace(" Lead two.", "")),
        ("Item a.", PAGE.replace("- Item a.\n", "")),
        ("Only this.", PAGE.replace("\n## More\n\nOnly this.\n", "")),
    ],
)
def test_one_sentence_goes_and_nothing_else(gone: str, expected: str) -> None:
    found = [each for each in split_sentences(PAGE) if each.text == gone]
    assert without_sentences(PAGE, found) == expected


def test_a_section_goes_with_its_last_words_but_not_the_one_above_it() -> None:
    found = [each for each in split_sentences(PAGE) if each.text.startswith("Item")]
    assert without_sentences(PAGE, found) == "Lead one. Lead two.\n\n## More\n\nOnly this.\n"
    assert without_sentences(PAGE, split_sentences(PAGE)) == ""


def test_chinese_sentences_need_no_space() -> None:
    text = "甲一。乙二。丙三。\n"
    assert without_sentences(text, split_sentences(text)[1:2]) == "甲一。丙三。\n"
    assert with_added(text, heading="", sentences=["丁四。"]) == "甲一。乙二。丙三。丁四。\n"


def test_a_sentence_is_worded_anew_in_its_place() -> None:
    assert with_sentences(PAGE, {sentence_hash("Item b."): "Item c."}) == PAGE.replace(
        "Item b.", "Item c."
    )


def test_sentences_are_added_at_the_end_of_their_section() -> None:
    added = with_added(PAGE, heading="facts", sentences=["Item c."], as_list=True)
    assert added == PAGE.replace("- Item b.\n", "- Item b.\n- Item c.\n")
    added = with_added(PAGE, heading="More", sentences=["And that."])
    assert added == PAGE.replace("Only this.", "Only this. And that.")
    added = with_added(PAGE, heading="New", sentences=["It came."])
    assert added == PAGE + "\n## New\n\nIt came.\n"
    assert with_added("", heading="", sentences=["First.", "Second."]) == "First. Second.\n"
    assert with_added("# T\n\nx.\n", heading="", sentences=["Lead."]) == "Lead.\n\n# T\n\nx.\n"
