"""What tools need of bases."""

from __future__ import annotations

import pytest

from agents.engine.capabilities import NO_REQUIREMENT, Capability, Requirement

ANY = Requirement(any_of=frozenset({"vector", "keyword"}))
ALL = Requirement(all_of=frozenset({"wiki", "graph"}))
BOTH = Requirement(any_of=frozenset({"vector"}), all_of=frozenset({"faq"}))


@pytest.mark.parametrize(
    ("requirement", "available", "met"),
    [
        (NO_REQUIREMENT, [], True),
        (ANY, [], False),
        (ANY, ["keyword"], True),
        (ALL, ["wiki"], False),
        (ALL, ["wiki", "graph", "faq"], True),
        (BOTH, ["faq"], False),
        (BOTH, ["vector"], False),
        (BOTH, ["vector", "faq"], True),
    ],
)
def test_requirements_are_met(
    requirement: Requirement, available: list[Capability], met: bool
) -> None:
    assert requirement.is_met_by(available) is met


def test_only_some_tools_need_bases() -> None:
    assert [each.needs_bases for each in (NO_REQUIREMENT, ANY, ALL)] == [False, True, True]
