"""Small pieces of language that several pages put together the same way: lists, days with their weekday."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import pgettext


def listed(things: Iterable[object]) -> str:
    """Return things one after the other, apart as the reader's language has it: "a, b, c"."""
    return pgettext("between the things of a list", ", ").join(str(each) for each in things)


def weekday_and_time(at: datetime, *, is_short: bool = False) -> str:
    """Return "Monday, 3 Aug 2026, 08:00" in the reader's language; the weekday in short when asked.

    The time is told in its own zone.
    """
    weekday = date_format(at, "D" if is_short else "l")
    words = {"weekday": weekday, "time": date_format(at, "DATETIME_FORMAT")}
    return pgettext("a time with its weekday", "%(weekday)s, %(time)s") % words
