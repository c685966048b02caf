"""Housekeeping as a thread of a worker: it must run even when every pool thread is busy.

It needs the rows only, not the broker; an advisory lock lets one process of the installation do
it at a time.
"""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from core.jobs.housekeeping import keep_house

logger = logging.getLogger(__name__)
_LOCK = 0x686F757365
"""Key of the advisory lock: the word `house`."""


class HousekeeperThread(threading.Thread):
    """Keeps house every few seconds until it is stopped."""

    def __init__(self) -> None:
        super().__init__(name="housekeeper", daemon=True)
        self._stopped = threading.Event()

    def run(self) -> None:
        """Keep house, over every loss of the database."""
        while not self._stopped.wait(settings.HOUSEKEEPING_SECONDS):
            try:
                keep_house_alone()
            except (DatabaseError, InterfaceError) as error:
                logger.warning("Housekeeping waits for the database: %s", error)
            except Exception:  # the next round may find what this one stumbled over gone
                logger.exception("Housekeeping failed")
            finally:
                connection.close()

    def stop(self) -> None:
        """End the thread after the round that it is in."""
        self._stopped.set()
        self.join(timeout=3.0)


def keep_house_alone() -> bool:
    """Keep house unless another process does so right now; say whether it was done."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            return False
        try:
            keep_house()
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
    return True
