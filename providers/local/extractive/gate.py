"""Decides whether anything that was found answers the question: a small logistic rule a language.

Coefficients are fitted by `benchmarks/answers.py --fit` on one half of the shared questions and shown
on the other. Valid only where question and passage are in one language. Not in force until `RULES` are
fitted: the answerer decides by `answerer.GATE`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from providers.local.extractive.language import terms
from providers.local.extractive.selection import RankedPassage, Weigher
from providers.local.extractive.sentences import quotables

NAMES = (
    "cosine",
    "coverage",
    "cosine_lead",
    "coverage_lead",
    "span",
    "rare",
    "answer_type",
    "unsure",
)
"""Features, in the order of the coefficients."""
_RARE_TERMS = 3
_READ_PASSAGES = 3
_READ_SPANS = 3
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


RULES: Mapping[str, Rule] = {
    "en": Rule(
        weights=(31.0165, 1.7953, 22.8556, 1.1159, 1.3496, 1.6218, -0.0365, -0.8893),
        bias=-27.1746,
        threshold=-1.2677,
    ),
    "zh": Rule(
        weights=(20.9273, 3.9958, 58.1834, 4.2252, 7.7111, -2.8180, 1.4214, -0.8963),
        bias=-21.7252,
        threshold=-1.6176,
    ),
    "": Rule(
        weights=(32.2677, 3.0893, 47.3998, 3.0755, 4.7640, -0.2319, 0.6541, -1.4222),
        bias=-29.9752,
        threshold=-1.1923,
    ),
}
"""By language of the question; any other has the rule `""`."""


FEWEST_PASSAGES = 5
"""Among fewer, the lead of the best one says nothing: the answerer's plain bound holds there."""


def rule_for(language: str) -> Rule:
    """Return the rule of a language."""
    return RULES.get(language, RULES[""])


def features_of(
    question: str, ranked: Sequence[RankedPassage], *, unsure: bool
) -> tuple[float, ...]:
    """Return what the rule looks at, in the order of `NAMES`; no sentence is embedded for it.

    Args:
        question: the whole question.
        ranked: the passages, best first; at least one.
        unsure: whether the search itself is unsure.
    """
    best, others, asked = ranked[0], ranked[1:], terms(question)
    weigher = Weigher([terms(each.passage.text) for each in ranked])
    whole = weigher.total(asked) or 1.0
    spans = sorted(
        (
            (weigher.total(asked & terms(piece.text)) / whole, piece.text)
            for each in ranked[:_READ_PASSAGES]
            for piece in quotables(each.passage.text)
        ),
        key=lambda span: -span[0],
    )[:_READ_SPANS]
    held = terms(f"{best.passage.heading} {best.passage.text}")
    rarest = sorted(asked, key=lambda term: (-weigher.weight(term), term))[:_RARE_TERMS]
    return (
        best.cosine,
        best.coverage,
        best.cosine - _mean([each.cosine for each in others]),
        best.coverage - _mean([each.coverage for each in others]),
        spans[0][0] if spans else 0.0,
        sum(term in held for term in rarest) / max(1, len(rarest)),
        _answer_type(question, [text for _share, text in spans]),
        float(unsure),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _answer_type(question: str, spans: Sequence[str]) -> float:
    """Return 1 where a figure is asked for and said, -1 where it is missing, 0 where none is asked."""
    if not _ASKS_FIGURE.search(question):
        return 0.0
    for text in spans:
        if any(found.group() not in question for found in _FIGURE.finditer(text)):
            return 1.0
    return -1.0
