"""Times as people say them, to and from cron lines: daily, on weekdays, weekly, monthly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from typing import Literal

from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

Kind = Literal["daily", "weekdays", "weekly", "monthly", "cron"]
KINDS = (
    ("daily", gettext_lazy("Every day")),
    ("weekdays", gettext_lazy("Monday to Friday")),
    ("weekly", gettext_lazy("Every week")),
    ("monthly", gettext_lazy("Every month")),
    ("cron", gettext_lazy("Cron expression")),
)
WEEKDAYS = (
    ("1", gettext_lazy("Monday")),
    ("2", gettext_lazy("Tuesday")),
    ("3", gettext_lazy("Wednesday")),
    ("4", gettext_lazy("Thursday")),
    ("5", gettext_lazy("Friday")),
    ("6", gettext_lazy("Saturday")),
    ("0", gettext_lazy("Sunday")),
)
LAST_DAY = "L"
MONTH_DAYS = (
    *((str(day), str(day)) for day in range(1, 29)),
    (LAST_DAY, pgettext_lazy("day of a month", "the last")),
)
_LINE = re.compile(r"^(\d{1,2}) (\d{1,2}) (\*|L|\d{1,2}) \* (\*|1-5|[0-6])$")


@dataclass(frozen=True, kw_only=True)
class Times:
    """What the form shows: a kind and what belongs to it."""

    kind: Kind = "weekdays"
    at: time = time(8, 0)
    weekday: str = "1"
    """As in cron: 0 is Sunday."""
    month_day: str = "1"
    cron: str = ""

    def as_cron(self) -> str:
        """Return the cron line."""
        begin = f"{self.at.minute} {self.at.hour}"
        match self.kind:
            case "daily":
                return f"{begin} * * *"
            case "weekdays":
                return f"{begin} * * 1-5"
            case "weekly":
                return f"{begin} * * {self.weekday}"
            case "monthly":
                return f"{begin} {self.month_day} * *"
            case "cron":
                return self.cron


def times_of(cron: str) -> Times:
    """Read a cron line back into what people chose; any other line stays a line."""
    found = _LINE.match(cron)
    other = Times(kind="cron", cron=cron)
    if found is None or int(found[1]) > 59 or int(found[2]) > 23:
        return other
    at, month_day, weekday = time(int(found[2]), int(found[1])), found[3], found[4]
    if month_day == "*":
        if weekday in ("*", "1-5"):
            return Times(kind="daily" if weekday == "*" else "weekdays", at=at)
        return Times(kind="weekly", at=at, weekday=weekday)
    known = any(month_day == value for value, _label in MONTH_DAYS)
    return Times(kind="monthly", at=at, month_day=month_day) if known and weekday == "*" else other


def describe(cron: str) -> str:
    """Return a line for people, such as "Every week, Monday, 08:00"."""
    times = times_of(cron)
    at = f"{times.at:%H:%M}"
    match times.kind:
        case "daily":
            return _("Every day, %(at)s") % {"at": at}
        case "weekdays":
            return _("Monday to Friday, %(at)s") % {"at": at}
        case "weekly":
            return _("Every week, %(day)s, %(at)s") % {
                "day": dict(WEEKDAYS)[times.weekday],
                "at": at,
            }
        case "monthly" if times.month_day == LAST_DAY:
            return _("Every month, on the last day, %(at)s") % {"at": at}
        case "monthly":
            return _("Every month, on day %(day)s, %(at)s") % {"day": times.month_day, "at": at}
        case _:
            return cron
