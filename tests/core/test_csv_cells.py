"""Cells of CSV: none is a formula."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest

from core.csv_cells import csv_line


@pytest.mark.parametrize("mark", [*"=+-@|%＝＋－＠｜％"])
@pytest.mark.parametrize("before", ["", " ", "\t", "\r\n", "\u3000", "\u200b", "\ufeff "])
def test_no_cell_begins_a_formula(mark: str, before: str) -> None:
    text = f'{before}{mark}HYPERLINK("http://x")'
    (row,) = csv.reader(io.StringIO(csv_line([text]), newline=""))
    assert row == [f"'{text}"]


def test_other_texts_and_numbers_stay() -> None:
    assert csv_line(["a, b", 'say "x"', -5, Decimal("-0.10"), None, "1=1"]) == (
        '"a, b","say ""x""",-5,-0.10,,1=1\r\n'
    )
