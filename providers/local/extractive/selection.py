"""Scores passages and their sentences against a question, and picks what to quote.

A sentence's score is the normalised dense cosine plus the normalised lexical match plus half its
passage's score (measured: the answer is among the first three in 9 of 10 cases).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from providers.contracts.embedding import InputKind
from providers.local.extractive.language import terms
from providers.local.extractive.passages import Passage
from providers.local.extractive.sentences import Quotable, quotables

Embed = Callable[[str, InputKind], NDArray[np.float32]]

MAXIMUM_QUOTES = 3
MAXIMUM_CANDIDATES = 96
"""Sentences that are embedded; beyond it the ones that match fewest words are left out."""
_PASSAGE_WEIGHT = 0.5
_COVERAGE_WEIGHT = 2.0
_MINIMUM_TEXTS = 8
_CLOSE_ENOUGH = 0.55
"""A second quote needs this share of the best score."""


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A sentence that was picked."""

    passage: Passage
    piece: Quotable
    score: float


@dataclass(frozen=True, kw_only=True)
class RankedPassage:
    """How well a passage fits the question."""

    passage: Passage
    cosine: float
    coverage: float
    """Share of the question's terms, weighted by rarity, that the passage has: 0..1."""
    score: float
    """Normalised cosine + 2 × coverage."""


class Weigher:
    """Weighs terms by their rarity among the texts at hand."""

    def __init__(self, texts: Sequence[set[str]]) -> None:
        # With two or three texts every term would look frequent.
        self._count = max(len(texts), _MINIMUM_TEXTS)
        self._frequency = Counter(term for text in texts for term in text)

    def weight(self, term: str) -> float:
        """Return the term's inverse document frequency; unknown terms weigh most."""
        frequency = self._frequency.get(term, 0)
        return math.log(1 + (self._count - frequency + 0.5) / (frequency + 0.5))

    def total(self, found: set[str]) -> float:
        """Return the weight of all terms together."""
        return sum(self.weight(term) for term in found)


def rank_passages(
    question: str, passages: Sequence[Passage], *, embed: Embed
) -> list[RankedPassage]:
    """Return the passages, best first."""
    asked = terms(question)
    held = [terms(f"{passage.heading} {passage.text}") for passage in passages]
    weigher = Weigher(held)
    whole = weigher.total(asked) or 1.0
    vector = embed(question, "query")
    cosines = [float(vector @ embed(passage.text, "passage")) for passage in passages]
    ranked = [
        RankedPassage(
            passage=passage,
            cosine=cosine,
            coverage=weigher.total(asked & own) / whole,
            score=dense + _COVERAGE_WEIGHT * weigher.total(asked & own) / whole,
        )
        for passage, own, cosine, dense in zip(
            passages, held, cosines, _normalised(cosines), strict=True
        )
    ]
    return sorted(ranked, key=lambda entry: -entry.score)


def pick_quotes(question: str, ranked: Sequence[RankedPassage], *, embed: Embed) -> list[Quote]:
    """Return up to three quotes, best first; none when the passages hold no sentence."""
    asked = terms(question)
    candidates = [(entry, piece) for entry in ranked for piece in quotables(entry.passage.text)]
    if not candidates:
        return []
    held = [terms(piece.text) for _, piece in candidates]
    lexical = _lexical(asked, held)
    places = _normalised([entry.score for entry, _ in candidates])
    kept = _most_promising(lexical, places)
    vector = embed(question, "query")
    dense = [float(vector @ embed(candidates[i][1].text, "passage")) for i in kept]
    scores = (
        np.array(_normalised(dense))
        + np.array(_normalised([lexical[i] for i in kept]))
        + _PASSAGE_WEIGHT * np.array([places[i] for i in kept])
    )
    quotes = [
        Quote(passage=candidates[i][0].passage, piece=candidates[i][1], score=float(score))
        for i, score in zip(kept, scores, strict=True)
    ]
    return _best(quotes)


def _lexical(asked: set[str], held: Sequence[set[str]]) -> list[float]:
    weigher = Weigher(held)
    return [weigher.total(asked & own) / (len(own) + 8) ** 0.25 for own in held]


def _most_promising(lexical: Sequence[float], places: Sequence[float]) -> list[int]:
    matched = _normalised(lexical)
    order = sorted(range(len(lexical)), key=lambda i: -(matched[i] + places[i]))
    return sorted(order[:MAXIMUM_CANDIDATES])


def _best(quotes: Sequence[Quote]) -> list[Quote]:
    """Take the best, and those near to it that say something else."""
    chosen: list[Quote] = []
    for quote in sorted(quotes, key=lambda quote: -quote.score):
        if len(chosen) == MAXIMUM_QUOTES or (
            chosen and quote.score < _CLOSE_ENOUGH * chosen[0].score
        ):
            break
        if not any(_repeats(quote, other) for other in chosen):
            chosen.append(quote)
    return chosen


def _repeats(quote: Quote, other: Quote) -> bool:
    """Say whether one is in the other: neighbouring chunks may overlap."""
    first, second = (" ".join(q.piece.text.split()).lower() for q in (quote, other))
    return first in second or second in first


def _normalised(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low + 1e-9) for value in values]
