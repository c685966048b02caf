"""The same scripted space as the tests of runs, and a base to search in."""

from __future__ import annotations

import pytest

from knowledge.models import KnowledgeBase
from tests.agents.runs.conftest import asker, no_broker, script
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture
def a_base(asker: Persona) -> KnowledgeBase:
    """A base of Cora's space with one document."""
    base = make_base(asker.space, name="Leases", created_by=asker.user)
    make_document(base, name="lease-a.txt", texts=["The rent is 900 euros a month."])
    return base


__all__ = ["a_base", "asker", "no_broker", "script"]
