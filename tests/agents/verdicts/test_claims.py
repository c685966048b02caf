"""Numbers with units and dates, in the forms of four languages."""

from __future__ import annotations

import pytest

from agents.verdicts.claims import read_claims
from agents.verdicts.dates import read_dates
from agents.verdicts.numbers import one_form, read_quantities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$1.5 million", [(1_500_000, "usd")]),
        ("1,234,567 people", [(1_234_567, "person")]),
        ("35 % or 35 percent", [(35, "%"), (35, "%")]),
        ("5 km, 5,000 metres", [(5000, "m"), (5000, "m")]),
        ("6½ sacks", [(6.5, "")]),
        ("twenty-five years", [(300, "month")]),
        ("two hundred thousand", [(200_000, "")]),
        ("the 19th century", [(19, "century")]),
        ("营收为３.５万元，增长百分之二十", [(35_000, "cny"), (20, "%")]),
        ("共三百二十人", [(320, "person")]),
        ("1億2,000万円", [(120_000_000, "jpy")]),
        ("15만 명", [(150_000, "person")]),
        ("３０パーセント", [(30, "%")]),
        ("23–16", [(23, ""), (16, "")]),
        ("一般来说，一些人", []),
    ],
)
def test_numbers(text: str, found: list[tuple[float, str]]) -> None:
    read = [
        (each.value, each.unit) for each in read_quantities(one_form(text)) if not each.is_spelled
    ]
    assert read == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7 February 2016", (2016, 2, 7)),
        ("February 7th, 2016", (2016, 2, 7)),
        ("Feb. 2016", (2016, 2, None)),
        ("on May 3", (None, 5, 3)),
        ("2016-02-07", (2016, 2, 7)),
        ("2016年2月7日", (2016, 2, 7)),
        ("二〇一六年二月七日", (2016, 2, 7)),
        ("7月8日", (None, 7, 8)),
        ("民國105年5月", (2016, 5, None)),
        ("平成28年", (2016, None, None)),
        ("2016년 2월 7일", (2016, 2, 7)),
        ("in 1939", (1939, None, None)),
    ],
)
def test_dates(text: str, found: tuple[int | None, int | None, int | None]) -> None:
    (date,) = read_dates(one_form(text))
    assert (date.year, date.month, date.day) == found


@pytest.mark.parametrize("text", ["50,000年", "$1,999", "3.1415", "19390", "R2D2"])
def test_what_is_no_date(text: str) -> None:
    assert read_dates(text) == []


def test_a_date_both_ways_is_either() -> None:
    american, european = read_dates("02/07/2016 and 2016-07-02")
    assert american.within(european)


def test_a_date_is_not_read_as_a_number_too() -> None:
    assert read_claims("It was 7 February 2016.").quantities == ()


def test_names_and_quotations() -> None:
    claims = read_claims(
        "The treaty of Nice was signed by Ada King-Noel, “in full”, as RO-2022-1; コンピュータ"
    )
    assert claims.names == ("RO-2022-1", "コンピュータ", "Nice", "Ada King-Noel")
    assert claims.quoted == ("infull",)
