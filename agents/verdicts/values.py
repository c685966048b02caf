"""What a verdict is, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.verdicts.claims import Claims

State = Literal["supported", "partly", "unsupported"]
ReasonCode = Literal[
    "number_differs",
    "number_elsewhere",
    "number_rounded",
    "unit_differs",
    "date_differs",
    "date_elsewhere",
    "name_missing",
    "quote_differs",
    "negation_differs",
    "direction_differs",
    "words_missing",
    "other_source",
    "other_language",
    "no_source",
    "passage_not_kept",
    "model_says_so",
]


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A cited passage."""

    marker: int
    text: str
    heading: str = ""
    """Name of the document and headings above; they count as words, not as figures."""


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why a sentence is not simply supported."""

    code: ReasonCode
    claimed: str = ""
    found: str = ""
    """What the passage has instead: text of a source, shown only to who may read it."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What came out for one sentence."""

    state: State
    reasons: tuple[Reason, ...] = ()
    markers: tuple[int, ...] = ()
    """Sources that it was held against."""
    is_verbatim: bool = False
    """The passage has it word for word; a model need not be asked."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A sentence or row of a passage."""

    marker: int
    claims: Claims
    coverage: float
