"""Times of schedules: zones, changes of the clock, what people choose."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from agents.schedules.presets import KINDS, MONTH_DAYS, WEEKDAYS, Times, describe, times_of
from agents.schedules.times import check_cron, next_times
from core.errors import Invalid

NOW = datetime(2026, 3, 27, 12, tzinfo=UTC)


def hours(cron: str, zone: str, after: datetime, count: int = 3) -> list[str]:
    return [
        f"{each:%d %H:%M}" for each in next_times(cron, timezone=zone, after=after, count=count)
    ]


def test_eight_oclock_stays_eight_oclock_when_summer_begins() -> None:
    assert hours("0 8 * * *", "Europe/Berlin", NOW) == ["28 07:00", "29 06:00", "30 06:00"]


def test_an_hour_that_clocks_skip_is_made_up_for_right_after_it() -> None:
    after = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert hours("30 2 * * *", "Europe/Berlin", after, 2) == ["29 01:00", "30 00:30"]


def test_an_hour_that_comes_twice_is_taken_once() -> None:
    after = datetime(2026, 10, 24, 12, tzinfo=UTC)
    assert hours("30 2 * * *", "Europe/Berlin", after, 2) == ["25 00:30", "26 01:30"]


def test_the_last_day_of_a_month_is_the_last_one() -> None:
    after = datetime(2028, 1, 31, 12, tzinfo=UTC)
    assert hours("0 8 L * *", "UTC", after, 2) == ["29 08:00", "31 08:00"]


@pytest.mark.parametrize(
    ("cron", "zone", "field", "says"),
    [
        ("0 8 * *", "UTC", "cron", "five fields"),
        ("0 8 * * * *", "UTC", "cron", "five fields"),
        ("x 8 * * *", "UTC", "cron", "five fields"),
        ("@daily", "UTC", "cron", "five fields"),
        ("*/5 * * * *", "UTC", "cron", "At most once in 15 minutes; this comes after 5"),
        ("0,5 8 * * *", "UTC", "cron", "At most once"),
        ("0 8 30 2 *", "UTC", "cron", "five fields|never comes"),
        ("0 8 * * *", "Europe/Nowhere", "timezone", "Europe/Berlin"),
    ],
)
def test_a_time_that_cannot_be_used_is_refused_with_words(
    cron: str, zone: str, field: str, says: str
) -> None:
    with pytest.raises(Invalid, match=says) as refusal:
        check_cron(cron, timezone=zone, now=NOW)
    assert refusal.value.data["field"] == field


def test_a_line_keeps_single_blanks() -> None:
    assert check_cron(" 0  8 * *   1-5 ", timezone="UTC", now=NOW) == "0 8 * * 1-5"


@given(
    kind=st.sampled_from([kind for kind, _label in KINDS if kind != "cron"]),
    at=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    weekday=st.sampled_from([value for value, _label in WEEKDAYS]),
    month_day=st.sampled_from([value for value, _label in MONTH_DAYS]),
)
def test_what_people_choose_is_read_back_from_the_line(
    kind: str, at: object, weekday: str, month_day: str
) -> None:
    chosen = Times(kind=kind, at=at, weekday=weekday, month_day=month_day)  # type: ignore[arg-type]  # strategies
    read = times_of(chosen.as_cron())
    assert (read.kind, read.at, read.as_cron()) == (kind, at, chosen.as_cron())


@pytest.mark.parametrize("cron", ["*/30 8-18 * * *", "0 8 31 * *", "99 8 * * *", "0 8 1 * 1"])
def test_other_lines_stay_lines(cron: str) -> None:
    assert times_of(cron) == Times(kind="cron", cron=cron)


@pytest.mark.parametrize(
    ("cron", "says"),
    [
        ("0 8 * * *", "Every day, 08:00"),
        ("5 18 * * 1-5", "Monday to Friday, 18:05"),
        ("0 8 * * 0", "Every week, Sunday, 08:00"),
        ("0 8 L * *", "Every month, on the last day, 08:00"),
        ("0 8 3 * *", "Every month, on day 3, 08:00"),
        ("0 */2 * * *", "0 */2 * * *"),
    ],
)
def test_a_line_is_told_in_words(cron: str, says: str) -> None:
    assert describe(cron) == says
