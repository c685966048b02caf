"""How well a wiki is: one number from its last check, with the reasons for what is missing to 100."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PER_BROKEN, PER_EMPTY = 5, 3
MANY_ORPHANS, SOME_ORPHANS, NO_LINKS = 25, 10, 15

Reason = Literal["orphans", "broken", "empty", "no_links"]


@dataclass(frozen=True, kw_only=True)
class Health:
    """The score, 0 to 100, and what it lost for what."""

    score: int
    lost: tuple[tuple[Reason, int, int], ...] = ()
    """Reason, how many, points."""


def health_of(*, pages: int, orphans: int, broken: int, empty: int, links: int) -> Health:
    """Return the health of a wiki of so many pages."""
    lost: list[tuple[Reason, int, int]] = []
    if pages and 2 * orphans > pages:
        lost.append(("orphans", orphans, MANY_ORPHANS))
    elif pages and 4 * orphans > pages:
        lost.append(("orphans", orphans, SOME_ORPHANS))
    if broken:
        lost.append(("broken", broken, PER_BROKEN * broken))
    if empty:
        lost.append(("empty", empty, PER_EMPTY * empty))
    if pages > 2 and not links:
        lost.append(("no_links", 0, NO_LINKS))
    return Health(score=max(0, 100 - sum(each[2] for each in lost)), lost=tuple(lost))
