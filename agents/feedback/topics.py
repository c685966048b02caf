"""Which open questions are about the same thing: by their words, and by meaning where vectors exist.

No language model is asked. Two questions share a topic when they have half of their words in common,
or when their vectors are very near and they have some words in common: with the built-in embedder
nearly all cosines lie above 0.7, so that nearness alone says little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np

from agents.models import UnansweredQuestion
from knowledge.text.analyze import analyze

SAME_WORDS = 0.5
SOME_WORDS = 0.2
NEAR = 0.93
"""Cosine."""


def terms_of(question: str) -> list[str]:
    """Return what a question is about, each term once, in its order."""
    return list(dict.fromkeys(analyze(question)))[:200]


def topic_among(row: UnansweredQuestion, others: Iterable[UnansweredQuestion]) -> UUID | None:
    """Return the topic of the question that is most alike; None when none is alike enough."""
    best: tuple[float, UUID] | None = None
    for other in others:
        likeness = _likeness(row, other)
        if likeness and (best is None or likeness > best[0]):
            best = likeness, other.topic_id
    return best[1] if best else None


def _likeness(one: UnansweredQuestion, other: UnansweredQuestion) -> float:
    """Return how alike two questions are; 0 when they are not about the same thing."""
    words = _shared(one.terms, other.terms)
    if words >= SAME_WORDS:
        return 1 + words
    if words < SOME_WORDS or not one.vector or one.vector_identity != other.vector_identity:
        return 0.0
    cosine = _cosine(one.vector, other.vector)
    return cosine if cosine >= NEAR else 0.0


def _shared(one: Sequence[str], other: Sequence[str]) -> float:
    both = set(one) | set(other)
    return len(set(one) & set(other)) / len(both) if both else 0.0


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    first, second = np.asarray(one), np.asarray(other)
    if first.shape != second.shape:
        return 0.0
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / length if length else 0.0
