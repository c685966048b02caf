from __future__ import annotations

import datetime as dt

import pytest

from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.spreadsheet import _text, parse_spreadsheet
from tests.knowledge.ingest.hostile import xlsx


def row(number: int, cells: dict[str, str]) -> str:
    inner = "".join(
        f'<c r="{column}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
        for column, text in cells.items()
    )
    return f'<row r="{number}">{inner}</row>'


def read(*rows: str, tail: str = "") -> list[str]:
    return parse_spreadsheet(xlsx("".join(rows), tail=tail), "a.xlsx").text.split("\n\n")


def test_a_sheet_is_a_heading_and_a_table():
    assert read(row(1, {"A": "name", "B": "age"}), row(2, {"A": "Ann", "B": "7"})) == [
        "# Data",
        "| name | age |\n| --- | --- |\n| Ann | 7 |",
    ]


def test_blank_rows_divide_tables_and_lone_cells_are_titles():
    assert read(
        row(1, {"A": "Sales"}),
        row(2, {"A": "a", "B": "b"}),
        row(3, {"A": "1", "B": "2"}),
        row(6, {"A": "c", "B": "d"}),
    ) == [
        "# Data",
        "Sales",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "| c | d |\n| --- | --- |",
    ]


def test_merged_cells_are_filled_downwards():
    text = read(
        row(1, {"A": "year", "B": "name", "C": "n"}),
        row(2, {"A": "2024", "B": "x", "C": "1"}),
        row(3, {"B": "y", "C": "2"}),
        tail='<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
    )[1]
    assert text.endswith("| 2024 | x | 1 |\n| 2024 | y | 2 |")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        (1e20, "1e+20"),
        (True, "TRUE"),
        (dt.datetime(2024, 5, 1), "2024-05-01"),  # noqa: DTZ001 - tables have no zones
        (dt.datetime(2024, 5, 1, 9, 30), "2024-05-01 09:30:00"),  # noqa: DTZ001
        (dt.date(2024, 5, 1), "2024-05-01"),
        (dt.time(9, 30), "09:30:00"),
        ("text", "text"),
    ],
)
def test_values_are_written_as_their_owner_would(value, text):
    assert _text(value) == text


def test_a_damaged_table_is_refused():
    with pytest.raises(ParseRefused) as refusal:
        parse_spreadsheet(xlsx("")[:200], "a.xlsx")
    assert refusal.value.code == "damaged"
