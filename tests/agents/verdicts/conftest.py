"""Jobs without a broker, and a model that writes what a test says."""

from tests.agents.memory.conftest import Writer, no_broker, writer

__all__ = ["Writer", "no_broker", "writer"]
