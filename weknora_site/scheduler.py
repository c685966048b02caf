"""Celery's scheduler as a thread of a worker: no process of its own for a few messages a minute.

The schedule is in the database (django-celery-beat). If the thread's service fails, because the
database was away for a moment, it is made anew; the worker goes on meanwhile.
"""

from __future__ import annotations

import logging
import threading

from celery import Celery
from celery.beat import Service
from django.db import connections

logger = logging.getLogger(__name__)
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0


class SchedulerThread(threading.Thread):
    """Runs the scheduler until it is stopped."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="scheduler", daemon=True)
        self._app = app
        self._stopped = threading.Event()
        self._service: Service | None = None

    def run(self) -> None:
        """Run one service after the other, with growing pauses while they fail."""
        pause_seconds = FIRST_PAUSE_SECONDS
        while not self._stopped.is_set():
            self._service = Service(self._app, scheduler_cls=self._app.conf.beat_scheduler)
            try:
                self._service.start()
                pause_seconds = FIRST_PAUSE_SECONDS
            except Exception:  # whatever failed, the schedule must go on
                logger.exception("The scheduler failed; it starts again in %.0f s", pause_seconds)
            finally:
                connections.close_all()
            self._stopped.wait(pause_seconds)
            pause_seconds = min(pause_seconds * 2, LONGEST_PAUSE_SECONDS)

    def stop(self) -> None:
        """Ask the thread to end; it may sleep, and need not be waited for."""
        self._stopped.set()
        if self._service is not None:
            self._service.stop()
        self.join(timeout=0.3)
