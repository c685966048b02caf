"""What can be quoted: whole sentences, rows with their header, lists with their lead."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from providers.local.extractive.sentences import (
    MAXIMUM_CHARACTERS,
    Quotable,
    quotables,
    split_sentences,
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One is here now. Two is there then.", ["One is here now.", "Two is there then."]),
        (
            "Dr. Smith met J. Doe in the U.S. Army. He left.",
            ["Dr. Smith met J. Doe in the U.S. Army.", "He left."],
        ),
        ("It costs 3.5 million. Really it does!", ["It costs 3.5 million.", "Really it does!"]),
        ("第一句。第二句！“第三句？”第四句", ["第一句。", "第二句！", "“第三句？”", "第四句"]),
        ("계약은 2년이다. 위약금은 없다.", ["계약은 2년이다.", "위약금은 없다."]),
        ("", []),
    ],
)
def test_sentences_end_where_they_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_rows_carry_their_columns_names() -> None:
    table = "| Code | Error |\n|:--|--:|\n| 20 | a \\| b |\n| 21 | |"
    assert quotables(table) == [
        Quotable(text="Code: 20 · Error: a | b", kind="row"),
        Quotable(text="Code: 21", kind="row"),
    ]


def test_rows_without_a_header_are_quoted_bare() -> None:
    assert quotables("| a | b |\n| c | d |") == [
        Quotable(text="a · b", kind="row"),
        Quotable(text="c · d", kind="row"),
    ]


def test_headings_are_not_quoted_and_wrapped_lines_are_joined() -> None:
    text = "# Title\n\nA sentence that is\nwrapped over lines.\n> quoted\n\n这是一个\n换行的句子。"
    assert [piece.text for piece in quotables(text)] == [
        "A sentence that is wrapped over lines. quoted",
        "这是一个换行的句子。",
    ]


def test_a_lead_takes_its_list_along() -> None:
    text = "There will be:\n\n- face painting\n- a bouncy castle\n\nCome early."
    assert [piece.text for piece in quotables(text)] == [
        "There will be: face painting; a bouncy castle",
        "face painting",
        "a bouncy castle",
        "Come early.",
    ]


def test_a_heading_is_quoted_when_it_says_something() -> None:
    assert [piece.text for piece in quotables("### Grand total 5,738\n\n## 4. Method\n\n# II")] == [
        "Grand total 5,738"
    ]


def test_a_heading_that_breaks_off_is_joined_with_its_rest() -> None:
    text = (
        "## Methods: The core region was sequenced in samples of 50\n\npatients. Nobody died here."
    )
    assert [piece.text for piece in quotables(text)] == [
        "Methods: The core region was sequenced in samples of 50 patients.",
        "Nobody died here.",
    ]


def test_labelled_lines_stand_alone() -> None:
    text = "Invoice: 17\nGrand total: 5,738.20\nDue: May 5"
    assert [piece.text for piece in quotables(text)] == text.splitlines()


def test_code_stays_code() -> None:
    assert quotables("```python\nx = 1\n\ny = 2\n```\nDone.") == [
        Quotable(text="x = 1\n\ny = 2", kind="code"),
        Quotable(text="Done."),
    ]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=st.text(max_size=3000))
def test_no_text_breaks_it_and_no_quote_is_endless(text: str) -> None:
    for piece in quotables(text):
        assert piece.text.strip()
        assert len(piece.text) <= MAXIMUM_CHARACTERS + 2


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=st.text(alphabet="ab .!?。;A\u4e00", max_size=400))
def test_no_character_of_a_text_is_lost(text: str) -> None:
    joined = "".join("".join(split_sentences(text)).split())
    assert joined == "".join(text.split())
