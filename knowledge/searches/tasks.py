"""The jobs of recorded searches."""

from __future__ import annotations

from core.jobs.handlers import JobContext, handles
from knowledge.searches.jobs import FORGET_SEARCHES
from knowledge.searches.nightly import forget_old_searches


@handles(FORGET_SEARCHES)
def forget(_: JobContext) -> None:
    """Remove the records of a space whose time is over."""
    forget_old_searches()
