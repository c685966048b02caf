"""Decides whether anything that was found answers the question: a small logistic rule a language.

Coefficients are fitted by `benchmarks/answers.py --fit` on one half of the shared questions and shown
on the other. Valid only where question and passage are in one language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from providers.contracts.embedding import InputKind
from providers.local.extractive.language import terms
from providers.local.extractive.selection import Quote, RankedPassage, Weigher

Embed = Callable[[str, InputKind], NDArray[np.float32]]
NAMES = (
    "cosine",
    "coverage",
    "lead",
    "span_cosine",
    "span_coverage",
    "rare",
    "answer_type",
    "unsure",
)
"""Features, in the order of the coefficients."""
_RARE_TERMS = 3
_ASKS_FIGURE = re.compile(
    r"\bhow (?:many|much|long|far|old|tall|high|large|big|often|fast)\b|\bwhat (?:year|percent|percentage"
    r"|date|number|day|century|fraction)\b|\bwhen\b|\bin which year\b"
    r"|多少|几(?!乎)|幾(?!乎)|何时|何時|什么时候|什麼時候|哪[一]?年|哪[一]?天|多[久长長大高远遠]|몇|언제|얼마|いつ|いくつ|何年|何人",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\d|[一二三四五六七八九十百千万萬亿億两兩]+(?:[年月日个個人名次种種公米元倍岁歲])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred"
    r"|thousand|million|billion|half|third|quarter|dozen|once|twice|century|decade)s?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A logistic rule: what is below `threshold` is refused."""

    weights: tuple[float, ...]
    """One a feature of `NAMES`."""
    bias: float
    threshold: float
    """Of the sum before the logistic function."""

    def accepts(self, features: Sequence[float]) -> bool:
        """Say whether the question can be answered."""
        return self.score(features) >= self.threshold

    def score(self, features: Sequence[float]) -> float:
        """Return the sum; the greater, the surer."""
        return self.bias + sum(w * f for w, f in zip(self.weights, features, strict=True))


RULES: Mapping[str, Rule] = {}
"""By language of the question; any other has the rule `""`."""


def rule_for(language: str) -> Rule:
    """Return the rule of a language."""
    return RULES.get(language, RULES[""])


def features_of(
    question: str,
    ranked: Sequence[RankedPassage],
    quotes: Sequence[Quote],
    *,
    unsure: bool,
    embed: Embed,
) -> tuple[float, ...]:
    """Return what the rule looks at, in the order of `NAMES`.

    Args:
        question: the whole question.
        ranked: the passages, best first; at least one.
        quotes: sentences picked from them; at least one.
        unsure: whether the search itself is unsure.
        embed: the embedder, whose texts are known from the ranking.
    """
    best, asked = ranked[0], terms(question)
    weigher = Weigher([terms(each.passage.text) for each in ranked])
    vector = embed(question, "query")
    spans = [float(vector @ embed(each.piece.text, "passage")) for each in quotes]
    said = set().union(*(terms(each.piece.text) for each in quotes))
    held = terms(f"{best.passage.heading} {best.passage.text}")
    rarest = sorted(asked, key=lambda term: (-weigher.weight(term), term))[:_RARE_TERMS]
    others = max((each.coverage for each in ranked[1:]), default=0.0)
    return (
        best.cosine,
        best.coverage,
        best.coverage - others,
        max(spans),
        weigher.total(asked & said) / (weigher.total(asked) or 1.0),
        sum(term in held for term in rarest) / max(1, len(rarest)),
        _answer_type(question, quotes),
        float(unsure),
    )


def _answer_type(question: str, quotes: Sequence[Quote]) -> float:
    """Return 1 where a figure is asked for and said, -1 where it is missing, 0 where none is asked."""
    if not _ASKS_FIGURE.search(question):
        return 0.0
    for quote in quotes:
        if any(found.group() not in question for found in _FIGURE.finditer(quote.piece.text)):
            return 1.0
    return -1.0


def logistic(value: float) -> float:
    """Return a sum as a probability."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))
