"""What the bound bases can do, and what a tool needs of them.

The same table decides what the model sees, what the agent editor and the @ menu offer, and, as the
last line of defence, whether a call runs at all. It only filters; nothing is ever added.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Capability = Literal["vector", "keyword", "wiki", "graph", "faq"]


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """What a tool asks of the bases; empty means that it needs none."""

    any_of: frozenset[Capability] = frozenset()
    all_of: frozenset[Capability] = frozenset()
    consumes_files: bool = False
    """Whether @file mentions make sense for it."""

    @property
    def needs_bases(self) -> bool:
        """Whether it is of no use without a base."""
        return bool(self.any_of or self.all_of)

    def is_met_by(self, available: Collection[Capability]) -> bool:
        """Whether one base, or the sum of the bound bases, suffices."""
        have = frozenset(available)
        return self.all_of <= have and (not self.any_of or bool(self.any_of & have))


NO_REQUIREMENT = Requirement()
"""Of a tool that works without any base."""
