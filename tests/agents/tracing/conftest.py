"""Runs for traces; those of `tests.agents.runs`."""

from tests.agents.runs.conftest import asker, no_broker, script

__all__ = ["asker", "no_broker", "script"]
