"""Waiting for processes that are not our children."""

from __future__ import annotations

import time
from pathlib import Path


def ends_within(process_id: int, *, seconds: float) -> bool:
    """Wait until a process is gone or only waits to be collected."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8")
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state.rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
