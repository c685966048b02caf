"""Orders items by how well they fit a question: words always, meaning where vectors are kept."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from uuid import UUID

from agents.memory.texts import terms_of
from agents.memory.vectors import likeness
from agents.models import MemoryItem

RRF_CONSTANT = 60
LEAST_LIKENESS = 0.82
"""Cosine of the built-in embedding model below which texts have nothing to do with each other."""


def rank(
    question: str, items: Sequence[MemoryItem], *, by_meaning: bool = True
) -> list[MemoryItem]:
    """Return the items that fit the question, best first: reciprocal rank fusion of both orders.

    Raises:
        VectorsUnavailable: meaning was asked for, but the embedding model failed.
    """
    orders = [_by_words(question, items)]
    if by_meaning:
        orders.append(_by_meaning(question, items))
    scores: dict[UUID, float] = defaultdict(float)
    for order in orders:
        for place, item in enumerate(order, 1):
            scores[item.pk] += 1 / (RRF_CONSTANT + place)
    fitting = [item for item in items if item.pk in scores]
    return sorted(fitting, key=lambda item: (-scores[item.pk], -item.importance, item.text))


def _by_words(question: str, items: Sequence[MemoryItem]) -> list[MemoryItem]:
    wanted = terms_of(question)
    terms = {item.pk: terms_of(f"{item.topic} {item.text}") for item in items}
    known = Counter(term for found in terms.values() for term in found & wanted)
    weight = {term: math.log(1 + len(items) / count) for term, count in known.items()}
    scored = [(sum(weight[t] for t in terms[item.pk] & wanted), item) for item in items]
    fitting = [pair for pair in scored if pair[0] > 0]
    return [item for _, item in sorted(fitting, key=lambda pair: (-pair[0], -pair[1].importance))]


def _by_meaning(question: str, items: Sequence[MemoryItem]) -> list[MemoryItem]:
    found = likeness(question, items)
    near = [item for item in items if found.get(item.pk, 0.0) >= LEAST_LIKENESS]
    return sorted(near, key=lambda item: -found[item.pk])
