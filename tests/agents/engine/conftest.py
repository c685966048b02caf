"""The engine's tests: nothing may block the event loop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx


@pytest.fixture(autouse=True)
def blockbuster() -> Iterator[BlockBuster]:
    """Fail a test whose engine code blocks the loop."""
    with blockbuster_ctx("agents.engine") as found:
        yield found
