"""When a schedule is due: five cron fields, read in the schedule's own time zone.

An hour that clocks skip is made up for right after it, one that comes twice is taken once, as
Debian's cron does it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError
from django.utils.translation import gettext as _

from core.errors import Invalid

SHORTEST_MINUTES = 15
"""A question costs money; more often than this it is a monitor, not a report."""
_LOOKED_AT = 60
"""So many times are compared to find the shortest pause: an hour of minutes."""


def next_time(cron: str, *, timezone: str, after: datetime) -> datetime | None:
    """Return the first time behind `after`, in UTC; None when there is none in the years to come.

    Raises:
        Invalid: the line or the zone cannot be read.
    """
    return next(iter(next_times(cron, timezone=timezone, after=after, count=1)), None)


def next_times(cron: str, *, timezone: str, after: datetime, count: int = 3) -> list[datetime]:
    """Return the next times behind `after`, in UTC, the nearest first.

    Raises:
        Invalid: the line or the zone cannot be read; `field` names which.
    """
    zone = zone_of(timezone)
    try:
        found = islice(CronSim(cron, after.astimezone(zone)), count)
        return [each.astimezone(UTC) for each in found]
    except CronSimError:
        raise Invalid(
            _("Write five fields: minute, hour, day, month, weekday, such as 0 8 * * 1-5."),
            field="cron",
        ) from None


def check_cron(cron: str, *, timezone: str, now: datetime) -> str:
    """Return the line with single blanks when it comes and does not come too often.

    Raises:
        Invalid: it cannot be read, never comes, or comes more often than every 15 minutes.
    """
    line = " ".join(cron.split())
    if len(line.split(" ")) != 5:
        raise Invalid(
            _("Write five fields: minute, hour, day, month, weekday, such as 0 8 * * 1-5."),
            field="cron",
        )
    times = next_times(line, timezone=timezone, after=now, count=_LOOKED_AT)
    if not times:
        raise Invalid(_("This time never occurs."), field="cron")
    shortest = min((b - a for a, b in pairwise(times)), default=timedelta(days=1))
    if shortest < timedelta(minutes=SHORTEST_MINUTES):
        raise Invalid(
            _("At most once in %(limit)s minutes; this comes after %(minutes)s.")
            % {"limit": SHORTEST_MINUTES, "minutes": int(shortest.total_seconds() // 60)},
            field="cron",
        )
    return line


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its name.

    Raises:
        Invalid: there is none of this name.
    """
    if name not in available_timezones():
        raise Invalid(
            _("There is no time zone “%(name)s”; write one such as Europe/Berlin.")
            % {"name": name},
            field="timezone",
        )
    return ZoneInfo(name)
