"""The scripted space of the tests of runs."""

from __future__ import annotations

from tests.agents.runs.conftest import asker, no_broker, script

__all__ = ["asker", "no_broker", "script"]
