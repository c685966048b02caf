"""Signals and confidence of pages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from knowledge.health.score import (
    confidence,
    level_of,
    mean_confidence,
    reasons_of,
    score_document,
)
from knowledge.health.signals import INK_LETTERS, MOST_INK, Signals, density, signals_of
from knowledge.parsers.contract import Block, Box, ParsedDocument
from knowledge.parsers.pdf_ink import FEW_LETTERS

WORDS = "The lamp at the pier burns all night and the ropes hang in the store behind the house. "
BOX = Box(left=0.1, top=0.1, right=0.9, bottom=0.2)


def page(text: str, number: int = 1) -> Block:
    return Block(markdown=text, page=number, box=BOX)


def pdf(*blocks: Block, **fields: object) -> ParsedDocument:
    return ParsedDocument(blocks=blocks, metadata={"type": "pdf"}, **fields)  # type: ignore[arg-type]  # values of a dataclass


def test_a_page_of_plain_words_is_good() -> None:
    [score] = score_document(pdf(page(WORDS * 20), page_count=1))
    assert (score.confidence, level_of(score.confidence)) == (1.0, "good")


def test_signs_without_a_meaning_make_a_page_weak() -> None:
    [score] = score_document(pdf(page((WORDS + "\ue001\ue002\ufffd(cid:7)") * 9), page_count=1))
    assert level_of(score.confidence) == "weak"
    assert reasons_of(score.values)[0] == "replaced"


def test_utf_8_read_as_latin_text_is_noticed() -> None:
    spoiled = "Übergröße für Gäste, schöne Grüße an alle Ämter. ".encode().decode("cp1252") * 9
    assert signals_of([page(spoiled)]).replaced == 0.0


def test_a_drawn_page_with_little_text_is_weak() -> None:
    [score] = score_document(pdf(page("Page 3"), page_count=1, page_ink={1: 0.06}))
    assert reasons_of(score.values) == ["density"]
    assert level_of(score.confidence) == "weak"


def test_a_page_that_no_engine_read_has_no_confidence() -> None:
    scores = score_document(
        pdf(page(WORDS), page_count=2, page_ink={2: 0.3}, pages_without_text=(2,))
    )
    assert scores[1].confidence == 0.0


def test_a_blank_page_is_good_and_weighs_nothing() -> None:
    scores = score_document(pdf(page("\ufffd" * 300), page_count=2, page_ink={2: 0.0}))
    assert [score.confidence for score in scores][1] == 1.0
    assert mean_confidence(scores) == scores[0].confidence


def test_rows_of_figures_outside_of_a_table_are_noticed() -> None:
    rows = "\n".join(f"Alabama {n} 18,870 23,022" for n in range(9))
    signals = signals_of([page(rows)])
    assert signals.grid == 0.0
    table = "| a | b | c |\n| --- | --- | --- |\n" + "| Alabama | 18,870 | 3 |\n" * 9
    assert signals_of([page(table)]).grid == 1.0


def test_values_glued_into_one_cell_are_noticed() -> None:
    table = "| a | b |\n| --- | --- |\n| x | 12 14 15 |\n| y | 7 |\n"
    assert signals_of([page(table)]).grid == pytest.approx(0.75)


def test_a_pdf_page_read_as_plain_text_is_fair() -> None:
    [score] = score_document(pdf(Block(markdown=WORDS * 9, page=1), page_count=1))
    assert (reasons_of(score.values), level_of(score.confidence)) == (["layout"], "fair")


def test_a_file_without_pages_has_one_row() -> None:
    document = ParsedDocument(blocks=(Block(markdown="a"), Block(markdown="b")))
    assert [score.page for score in score_document(document)] == [1]


def test_what_is_hidden_does_not_count() -> None:
    signals = signals_of([Block(markdown="\ufffd" * 99, hidden=True), page(WORDS)])
    assert signals.replaced == 1.0


def test_pages_that_are_not_drawn_are_those_that_ink_could_not_make_worse() -> None:
    assert INK_LETTERS * MOST_INK == FEW_LETTERS
    assert density(FEW_LETTERS, 1.0, is_unread=False) == 1.0


SHARES = st.none() | st.floats(0, 1)


@given(values=st.tuples(SHARES, SHARES, SHARES, SHARES, SHARES, SHARES))
def test_confidence_lies_between_the_worst_signal_and_the_best(
    values: tuple[float | None, ...],
) -> None:
    names = ("density", "replaced", "grid", "layout", "language", "ocr")
    signals = Signals(letters=9, **dict(zip(names, values, strict=True)))
    found = [value for value in values if value is not None]
    assert min(found, default=1.0) - 1e-4 <= confidence(signals) <= 1.0
