"""Scores passages and their sentences against a question, and picks what to quote.

A sentence's score adds four parts, each normalised over the candidates: its dense cosine, its own
lexical match, its match together with the sentence before it (which often names what "it" is), and
its passage's score. Of 550 questions of SQuAD, XQuAD zh and CMRC over eight retrieved passages, the
answer is in the first sentence of 76 %, in the first two of 87 %, in the first three of 91 %.
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
_DENSE_WEIGHT = 1.5
_LEXICAL_WEIGHT = 0.5
_CONTEXT_WEIGHT = 0.6
_PASSAGE_WEIGHT = 0.8
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


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    passage: Passage
    place: float
    """The passage's score."""
    piece: Quotable
    own: set[str]
    around: set[str]
    """Its terms with those of the sentence before it."""


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
    candidates = [c for entry in ranked for c in _candidates(entry)]
    if not candidates:
        return []
    cheap = _cheap_scores(terms(question), candidates)
    order = sorted(range(len(candidates)), key=lambda i: -cheap[i])
    kept = sorted(order[:MAXIMUM_CANDIDATES])
    vector = embed(question, "query")
    dense = _normalised([float(vector @ embed(candidates[i].piece.text, "passage")) for i in kept])
    quotes = [
        Quote(
            passage=candidates[i].passage,
            piece=candidates[i].piece,
            score=cheap[i] + _DENSE_WEIGHT * cosine,
        )
        for i, cosine in zip(kept, dense, strict=True)
    ]
    return _best(quotes)


def _candidates(entry: RankedPassage) -> list[_Candidate]:
    """Return a passage's pieces, each with its terms and those of the sentence before it."""
    found: list[_Candidate] = []
    for piece in quotables(entry.passage.text):
        own = terms(piece.text)
        follows = found and piece.kind == "sentence" == found[-1].piece.kind
        before = found[-1].own if follows else set()
        found.append(
            _Candidate(
                passage=entry.passage, place=entry.score, piece=piece, own=own, around=own | before
            )
        )
    return found


def _cheap_scores(asked: set[str], candidates: Sequence[_Candidate]) -> list[float]:
    """Return what needs no embedding: lexical match, with context, and the passage's place."""
    weigher = Weigher([candidate.own for candidate in candidates])
    lexical = [weigher.total(asked & c.own) / (len(c.own) + 8) ** 0.25 for c in candidates]
    context = [weigher.total(asked & c.around) for c in candidates]
    parts = zip(
        _normalised(lexical),
        _normalised(context),
        _normalised([c.place for c in candidates]),
        strict=True,
    )
    return [
        _LEXICAL_WEIGHT * own + _CONTEXT_WEIGHT * around + _PASSAGE_WEIGHT * place
        for own, around, place in parts
    ]


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
