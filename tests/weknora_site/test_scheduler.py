from __future__ import annotations

import threading

from weknora_site import scheduler
from weknora_site.celery import app
from weknora_site.scheduler import SchedulerThread


class FailingService:
    """Fails twice, then runs until it is stopped."""

    starts = 0
    running = threading.Event()

    def __init__(self, *args, **kwargs):
        self._stopped = threading.Event()

    def start(self):
        type(self).starts += 1
        if self.starts < 3:
            raise ConnectionError("the database is away")
        self.running.set()
        self._stopped.wait(10)

    def stop(self):
        self._stopped.set()


def test_scheduler_is_made_anew_when_it_fails(monkeypatch):
    monkeypatch.setattr(scheduler, "Service", FailingService)
    monkeypatch.setattr(scheduler, "FIRST_PAUSE_SECONDS", 0.01)
    thread = SchedulerThread(app)
    thread.start()
    assert FailingService.running.wait(10)
    thread.stop()
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert FailingService.starts == 3
