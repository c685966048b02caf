"""A wiki with a few pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.models import WikiPage

CRANE = """The harbour has [[entity/crane|one crane]] and [[entity/ferry]].

## Rules

See [[concept/tides#Low water]].

| Thing | Page |
|---|---|
| Crane | [[entity/crane|The crane]] |
"""


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """Olivia's base with a wiki that is on."""
    made = make_base(olivia.space, name="Harbour", created_by=olivia.user)
    make_wiki(made)
    with olivia.scope():
        yield made


@pytest.fixture
def harbour(base: KnowledgeBase, olivia: Persona) -> WikiPage:
    """A page with links to one that is there and to two that are not."""
    make_page(base, slug="entity/crane", title="Crane", content="It lifts.", by=olivia.user)
    return make_page(base, slug="concept/harbour", title="Harbour", content=CRANE, by=olivia.user)
