"""A space whose model plays a script, as for runs."""

from tests.agents.runs.conftest import asker, no_broker, script

__all__ = ["asker", "no_broker", "script"]
