"""Workers killed at random instants: nothing lost, nothing done twice, no gap (the benchmark, small)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.embedded.layout import REPOSITORY_DIR


@pytest.mark.slow
@pytest.mark.serial
def test_runs_outlive_workers_that_are_killed() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/kills.py", "--runs", "20", "--seed", "7"],
        cwd=REPOSITORY_DIR,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 lost, 0 twice, 0 gaps in 20 runs" in done.stdout
