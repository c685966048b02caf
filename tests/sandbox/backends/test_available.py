"""Somewhere in continuous integration, the attacks must really be tried."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import Invalid
from sandbox.backends.bubblewrap.backend import BubblewrapBackend
from sandbox.backends.registry import backend_named
from tests.sandbox.backends.engine import NoEngine, started_engine


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CI"), reason="only continuous integration must have one")
def test_a_backend_runs_in_continuous_integration(sandbox_root: Path) -> None:
    probe = BubblewrapBackend().probe()
    if probe.works:
        return
    try:
        with started_engine():
            pass
    except NoEngine as error:
        pytest.fail(f"neither runs: {probe.detail}; {error}")


def test_an_unknown_backend_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(Invalid, match="bubblewrap, docker"):
        backend_named("host", {})
