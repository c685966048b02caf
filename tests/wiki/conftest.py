"""A wiki of space A with its scope open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_wiki
from tests.personas import Persona


@pytest.fixture
def wiki(olivia: Persona) -> Iterator[KnowledgeBase]:
    """An empty wiki's base, inside of the space's scope."""
    with olivia.scope():
        base = make_base(olivia.space, name="Harbour")
        make_wiki(base)
        yield base
