"""200 random interleavings of what people, clocks and workers do to a waiting call."""

from __future__ import annotations

import pytest

from accounts.models import Space
from benchmarks._races import Races, races_in

CASES = 200


@pytest.mark.django_db(transaction=True)
def test_every_interleaving_has_exactly_one_outcome(space_a: Space) -> None:
    broken: list[str] = []
    with races_in(space_a, seed=7) as races:
        for _ in range(CASES):
            broken += races.play()
    assert broken == []
    assert _all_happened(races) == set()


def _all_happened(races: Races) -> set[str]:
    """Return what should have come about in so many cases and did not."""
    wanted = {"approve", "reject", "edit", "time-out", "cancel", "refresh", "double click"}
    wanted |= {"→ approved", "→ edited", "→ rejected", "→ expired", "→ cancelled"}
    wanted |= {"membership lost", "refused at execution", "decisions refused", "replay"}
    return {each for each in wanted if not races.counts[each]}
