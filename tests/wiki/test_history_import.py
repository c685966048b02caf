"""A piece of a public history goes through the wiki, as `benchmarks/wiki_history.py` has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks._report import shared_data
from benchmarks._wiki_history import (
    Written,
    check_patches,
    check_roll_backs,
    check_texts,
    pairs_of,
    read_history,
    take_in,
)
from knowledge.models import KnowledgeBase
from tests.personas import Persona

SOURCE = shared_data("wiki-history", "revisions.jsonl.gz")
PAGES = ("docs/api/session", "docs/langfuse集成", "mcp-server/readme")


@pytest.fixture(scope="module")
def history() -> dict[str, list[Written]]:
    """Three pages with all their revisions."""
    path = Path(SOURCE)
    if not path.exists():
        pytest.skip(f"no shared data in {path}")
    pages = read_history(path)
    return {name: pages[name] for name in PAGES}


def test_every_revision_is_kept_and_comes_back_byte_for_byte(
    olivia: Persona, wiki: KnowledgeBase, history: dict[str, list[Written]]
) -> None:
    ids = take_in(olivia.actor, wiki.pk, history)
    texts = check_texts(ids, history)
    backs = check_roll_backs(olivia.actor, ids, history)
    assert texts.wrong + backs.wrong == []
    assert (texts.checked, backs.checked > 15) == (3 + 2 * 18, True)


def test_patches_between_any_two_are_as_short_as_can_be(history: dict[str, list[Written]]) -> None:
    found = check_patches(list(pairs_of(history, sample=20, seed=1)))
    assert found.wrong == []
    assert found.checked > 60
