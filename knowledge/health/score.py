"""From signals to one confidence a page, and one for the document.

confidence = half the worst signal + half the weighted mean of those that say something; with the
weights below. A page is as good as its worst signal says more than as its mean: text in order of
which each letter is wrong is of no use. A blank page has 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from knowledge.health.signals import Signals, signals_of
from knowledge.parsers.contract import Block, ParsedDocument

Level = Literal["good", "fair", "weak"]
SignalName = Literal["density", "replaced", "grid", "layout", "language", "ocr"]
WEIGHTS: dict[SignalName, float] = {
    "density": 0.25,
    "replaced": 0.25,
    "grid": 0.1,
    "layout": 0.1,
    "language": 0.2,
    "ocr": 0.1,
}
_MILD: dict[SignalName, float] = {"grid": 0.5}
"""The least that these may do: a table without lines is no lost page."""
GOOD, WEAK = 0.8, 0.6
"""From here on a page is good; below, weak."""
NAMED_BELOW = 0.75
"""A signal below is a reason."""
_LEAST_LETTERS = 200
"""A page that shows something weighs as much as one with so many letters."""


@dataclass(frozen=True, kw_only=True)
class PageScore:
    """How well a page was read."""

    page: int
    confidence: float
    signals: Signals

    @property
    def values(self) -> dict[str, float]:
        """The signals that say something, for the store."""
        return {
            name: round(value, 4)
            for name, value in asdict(self.signals).items()
            if value is not None
        }


def score_document(document: ParsedDocument) -> list[PageScore]:
    """Return the score of each page; of the whole as page 1 where the format has no pages."""
    unread = set(document.pages_without_text)
    pages = _by_page(document)
    scores = []
    for number, blocks in pages.items():
        signals = signals_of(
            blocks,
            ink=document.page_ink.get(number),
            ocr=document.ocr_scores.get(number),
            is_unread=number in unread,
            is_plain=document.metadata.get("type") == "pdf" and _is_plain(blocks),
        )
        scores.append(PageScore(page=number, confidence=confidence(signals), signals=signals))
    return scores


def confidence(signals: Signals) -> float:
    """Return the confidence of a page, 0..1, by the formula above."""
    found = values_of(signals)
    if not found:
        return 1.0
    mild = {name: max(value, _MILD.get(name, 0.0)) for name, value in found.items()}
    mean = sum(WEIGHTS[name] * value for name, value in mild.items()) / sum(
        WEIGHTS[name] for name in mild
    )
    return round((min(mild.values()) + mean) / 2, 4)


def values_of(signals: Signals) -> dict[SignalName, float]:
    """Return the signals that say something."""
    return {name: value for name in WEIGHTS if (value := getattr(signals, name)) is not None}


def mean_confidence(scores: Sequence[PageScore]) -> float | None:
    """Return the mean weighted by letters; blank pages do not count. None when all are blank."""
    weights = [_weight(score.signals) for score in scores]
    whole = sum(weights)
    if not whole:
        return None
    pairs = zip(scores, weights, strict=True)
    return round(sum(score.confidence * weight for score, weight in pairs) / whole, 4)


def level_of(value: float) -> Level:
    """Return what people are told of a confidence."""
    if value >= GOOD:
        return "good"
    return "fair" if value >= WEAK else "weak"


def reasons_of(values: dict[str, float]) -> list[SignalName]:
    """Return the signals that pull a page down, the worst first."""
    low = [name for name in WEIGHTS if values.get(name, 1.0) < NAMED_BELOW]
    return sorted(low, key=lambda name: values[name])


def _is_plain(blocks: Sequence[Block]) -> bool:
    """Say whether a page of a PDF was read without places: so without headings and tables."""
    return all(block.box is None for block in blocks if not block.hidden)


def _weight(signals: Signals) -> int:
    return max(signals.letters, _LEAST_LETTERS) if values_of(signals) else 0


def _by_page(document: ParsedDocument) -> dict[int, list[Block]]:
    """Return all pages with their blocks; what has no page of its own belongs to the one before."""
    has_pages = bool(document.pages_without_text or document.page_ink) or any(
        block.page for block in document.blocks
    )
    count = (document.page_count or 1) if has_pages else 1
    pages: dict[int, list[Block]] = {number: [] for number in range(1, count + 1)}
    last = 1
    for block in document.blocks:
        last = block.page or last
        pages.setdefault(last, []).append(block)
    return dict(sorted(pages.items()))
