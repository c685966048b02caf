"""Lines of CSV that no spreadsheet takes for formulas: all files of tables leave through here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from core.names import without_hidden

_BEGINNINGS = (*"=+-@|%", "\t", "\r", "\n")
_WIDE_BEGINNINGS = tuple("\uff1d\uff0b\uff0d\uff20\uff5c\uff05")
"""The same in full width: spreadsheets of East Asia read them alike."""
FORMULA_BEGINNINGS = (*_BEGINNINGS, *_WIDE_BEGINNINGS)


def csv_line(cells: Iterable[object]) -> str:
    """Return one line with its end. Texts are made safe; numbers stay numbers, None is blank."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(
        [safe_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return line.getvalue()


def safe_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; blanks before one do not hide it."""
    seen = without_hidden(text).lstrip()
    if text.startswith(FORMULA_BEGINNINGS) or seen.startswith(FORMULA_BEGINNINGS):
        return f"'{text}"
    return text
