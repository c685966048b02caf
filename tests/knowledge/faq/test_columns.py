"""Cells of import and export."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from knowledge.faq.columns import column_of, join_texts, plain_cell, safe_cell, split_texts

_TEXT = st.text(st.sampled_from("a#\\ b='+"), min_size=1).filter(lambda text: text.strip() == text)


@given(st.lists(_TEXT, max_size=5))
def test_several_texts_of_a_cell_come_back_as_they_were(texts: list[str]) -> None:
    assert split_texts(join_texts(texts)) == tuple(texts)


@given(st.text())
def test_a_cell_made_safe_comes_back_as_it_was(text: str) -> None:
    assert plain_cell(safe_cell(text)) == text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1"])
def test_no_spreadsheet_calculates_a_cell(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("heading", "column"),
    [
        ("Standard question", "standard_question"),
        ("STANDARD_QUESTION", "standard_question"),
        ("\ufeff问题(必填)", "standard_question"),
        ("相似问题（选填-多个用##分隔）", "similar_questions"),
        ("是否禁止被推荐(选填-默认False 可被推荐)", "not_recommended"),
        ("Colour", None),
    ],
)
def test_headings_are_known_in_both_languages(heading: str, column: str | None) -> None:
    assert column_of(heading) == column
