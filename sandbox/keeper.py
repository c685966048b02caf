"""Housekeeping of workspaces: at the start of a process, then once a minute."""

from __future__ import annotations

import time

from core.jobs.housekeeping import register_keeper
from sandbox.services.cleaning import end_idle_sessions, end_stopped_sessions, remove_orphans

EVERY_SECONDS = 60.0
_last = [float("-inf")]


def keep_workspaces() -> None:
    """End idle workspaces, and remove what a killed worker left; nothing within the same minute."""
    if time.monotonic() - _last[0] < EVERY_SECONDS:
        return
    _last[0] = time.monotonic()
    end_idle_sessions()
    end_stopped_sessions()
    remove_orphans()


register_keeper(keep_workspaces)
