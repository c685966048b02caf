"""Groups of items that may say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID
from xml.sax.saxutils import escape

from agents.memory.texts import contains, is_negated, overlap, terms_of
from agents.memory.vectors import Vector, stored_vectors
from agents.models import MemoryItem

DAILY_OVERLAP, DAILY_COSINE, DAILY_CLUSTERS = 0.55, 0.86, 3
ASKED_OVERLAP, ASKED_COSINE, ASKED_CLUSTERS = 0.3, 0.75, 8
LARGEST = 6
E5_FLOOR = 0.9
"""Cosines of the built-in model are high even for unlike texts; a lower limit would join everything."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Items of one kind that resemble one another."""

    items: tuple[MemoryItem, ...]

    @staticmethod
    def says_all_of(longer: MemoryItem, item: MemoryItem) -> bool:
        """Say whether one item makes the other one superfluous."""
        return (
            longer.kind == item.kind
            and is_negated(longer.text) == is_negated(item.text)
            and contains(terms_of(longer.text), terms_of(item.text))
        )

    def written(self, number: int) -> str:
        """Return the group for a model."""
        lines = [f"<item>{escape(item.text)}</item>" for item in self.items]
        return "\n".join([f'<group n="{number}">', *lines, "</group>"])


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """All groups, and those that are looked at this time."""

    total: int
    chosen: tuple[Cluster, ...]


def clusters_of(items: Sequence[MemoryItem], *, on_demand: bool) -> Clusters:
    """Group items of one kind by common words, or by meaning where vectors are kept."""
    least = ASKED_OVERLAP if on_demand else DAILY_OVERLAP
    cosine = max(ASKED_COSINE if on_demand else DAILY_COSINE, E5_FLOOR)
    terms = {item.pk: terms_of(item.text) for item in items}
    vectors = stored_vectors(items)
    left = sorted(items, key=lambda item: (item.kind, -len(item.text), item.text))
    groups: list[list[MemoryItem]] = []
    for item in left:
        for group in groups:
            if len(group) < LARGEST and all(
                _alike(item, other, terms, vectors, least=least, cosine=cosine) for other in group
            ):
                group.append(item)
                break
        else:
            groups.append([item])
    found = [Cluster(items=tuple(group)) for group in groups if len(group) > 1]
    most = ASKED_CLUSTERS if on_demand else DAILY_CLUSTERS
    return Clusters(total=len(found), chosen=tuple(found[:most]))


def _alike(
    one: MemoryItem,
    other: MemoryItem,
    terms: Mapping[UUID, frozenset[str]],
    vectors: Mapping[UUID, Vector],
    *,
    least: float,
    cosine: float,
) -> bool:
    if one.kind != other.kind:
        return False
    if overlap(terms[one.pk], terms[other.pk]) >= least:
        return True
    if one.pk not in vectors or other.pk not in vectors:
        return False
    return float(vectors[one.pk] @ vectors[other.pk]) >= cosine
