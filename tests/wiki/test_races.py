"""Some random interleavings of what people and agents do to a wiki at once."""

from __future__ import annotations

import pytest

from accounts.models import Space
from benchmarks._wiki_races import races_in

CASES = 8


@pytest.mark.django_db(transaction=True)
def test_no_interleaving_loses_an_edit_or_breaks_a_chain(space_a: Space) -> None:
    broken: list[str] = []
    with races_in(space_a, seed=3) as races:
        for _ in range(CASES):
            broken += races.play()
    assert broken == []
    wanted = {"edit", "propose", "approve", "double click", "rename", "→ published"}
    assert {each for each in wanted if not races.counts[each]} == set()
