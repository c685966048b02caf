from __future__ import annotations

import pytest

from knowledge.ingest.ocr_layout import OcrLine, arrange
from knowledge.parsers.contract import Box


def line(text: str, left: float, top: float, width: float = 300, height: float = 20) -> OcrLine:
    return OcrLine(left=left, top=top, right=left + width, bottom=top + height, text=text)


def read(*lines: OcrLine) -> list[str]:
    return [block.markdown for block in arrange(lines, page=1, width=1_000, height=1_000)]


def column(left: float, texts: list[str], top: float = 100) -> list[OcrLine]:
    return [line(text, left, top + 25 * number) for number, text in enumerate(texts)]


def test_lines_of_a_paragraph_are_joined_and_hyphens_mended():
    assert read(*column(100, ["The long para-", "graph goes on", "and ends."])) == [
        "The long paragraph goes on and ends."
    ]


def test_chinese_lines_are_joined_without_spaces():
    assert read(*column(100, ["这是第一行", "这是第二行"])) == ["这是第一行这是第二行"]


def test_a_gap_divides_paragraphs():
    assert read(line("One.", 100, 100), line("Two.", 100, 160)) == ["One.", "Two."]


def test_columns_are_read_one_after_the_other_below_their_title():
    left = column(50, [f"left {n}" for n in range(5)])
    right = column(500, [f"right {n}" for n in range(5)])
    title = line("Title over both columns", 50, 20, width=750)
    assert read(title, *right, *left) == [
        "Title over both columns",
        "left 0 left 1 left 2 left 3 left 4",
        "right 0 right 1 right 2 right 3 right 4",
    ]


def test_short_pieces_side_by_side_are_rows_of_a_table():
    cells = [("Item", "Price"), ("Tea", "2.50"), ("Coffee", "3.00")]
    lines = [
        line(text, 100 + 300 * across, 100 + 25 * down, width=30 + 10 * len(text))
        for down, row in enumerate(cells)
        for across, text in enumerate(row)
    ]
    assert read(*lines) == ["| Item | Price |\n| --- | --- |\n| Tea | 2.50 |\n| Coffee | 3.00 |"]


def test_upright_japanese_is_read_from_right_to_left():
    lines = [
        line("二行目", 400, 100, width=20, height=300),
        line("一行目", 440, 100, width=20, height=300),
    ]
    assert read(*lines) == ["一行目二行目"]


def test_a_stamp_along_the_edge_joins_nothing():
    stamp = line("arXiv 2110", 5, 50, width=20, height=800)
    assert read(stamp, *column(100, ["Some text of", "the page."]))[0] == "Some text of the page."


def test_boxes_are_fractions_of_the_page():
    (block,) = arrange([line("x", 100, 200)], page=7, width=1_000, height=500)
    assert block.box == Box(left=0.1, top=0.4, right=0.4, bottom=0.44)
    assert block.page == 7


@pytest.mark.parametrize("count", [0, 1])
def test_pages_with_next_to_nothing_are_fine(count):
    assert len(read(*[line("x", 1, 1)] * count)) == count
