"""What an explanation says: where a passage was lost, the facts, and what helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from knowledge.models import Chunk, Document
from knowledge.retrieval.hits import CandidateTrace, Retrieval

Stage = Literal[
    "no_text",
    "trashed",
    "reading",
    "failed",
    "refused",
    "stopped",
    "not_parsed",
    "cut",
    "disabled",
    "not_embedded",
    "other_model",
    "not_permitted",
    "outside_scope",
    "no_candidate",
    "dense_threshold",
    "keyword_threshold",
    "rerank_threshold",
    "mmr",
    "duplicate",
    "limit",
    "context",
    "found",
]
"""Where a passage may be lost, in the order of its way; `found`: it was not."""
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One figure or circumstance."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """What helps, one click away."""

    label: str
    url: str
    fields: tuple[tuple[str, str], ...] | None = None
    """What is sent; None: it is a link."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Where the passage was lost."""

    stage: Stage
    facts: tuple[Fact, ...] = ()
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """The whole explanation."""

    verdict: Verdict
    further: tuple[Verdict, ...] = ()
    """What stands in the way besides, in the order of the way."""
    document: Document | None = None
    chunk: Chunk | None = None
    """The passage that was meant."""
    parts: tuple[Chunk, ...] = ()
    """The passages over which the text is spread, when it is not in one."""
    nearest: tuple[Chunk, ...] = ()
    """Passages that may be meant, when the text stands nowhere."""
    found: Retrieval | None = None
    """The search as it is now; None without a question."""
    trace: CandidateTrace | None = None
    """What became of the passage in it; None when it was no candidate."""
