"""What a search returns: hits, and why the others are not among them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import UUID

from knowledge.base_settings import Fusion

RerankMode = Literal["none", "mix", "pure"]
Engine = Literal["dense", "keyword", "graph"]
DropStage = Literal[
    "dense_threshold", "keyword_threshold", "rerank_threshold", "mmr", "duplicate", "limit"
]
"""In the order of the stages, but for "mmr": it orders what duplicates left, up to the limit."""


@dataclass(frozen=True, kw_only=True)
class RetrievalHit:
    """A passage that was found."""

    rank: int
    """From 1, best first."""
    chunk_id: UUID
    document_id: UUID
    document_name: str
    base_id: UUID
    text: str
    context: str
    """The section that it is a part of, or the passage with its neighbours when it is short; else
    the same as `text`."""
    heading_path: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    position: int
    content_hash: str
    document_revision: int
    score: float
    """0..1; orders the hits of one search, says nothing across searches."""
    dense_score: float | None
    """Cosine of question and passage. With the built-in embedder nearly all lie in 0.7..0.95."""
    keyword_score: float
    """Share of the question's words in the passage, rare ones counting more: 0..1."""
    rerank_score: float | None
    """The rerank model's own number; None where it was not asked."""
    marked_text: str = ""
    """The passage with references to its pictures, for people: see `knowledge.pictures.shown`."""
    is_wiki: bool = False
    """Whether it is of a page of the wiki."""


@dataclass(frozen=True, kw_only=True)
class QueryTerm:
    """A term of the question."""

    term: str
    chunk_count: int
    """In how many passages of the bases it occurs; 0: in none."""
    idf: float


@dataclass(frozen=True, kw_only=True)
class CandidateTrace:
    """What became of one candidate. Ranks are from 1; None: not in that stage."""

    chunk_id: UUID
    document_id: UUID
    position: int
    dense_rank: int | None
    dense_score: float | None
    keyword_rank: int | None
    keyword_score: float
    matched_terms: tuple[str, ...]
    fused_rank: int | None
    """None: a threshold dropped it before."""
    fused_score: float | None
    rerank_rank: int | None
    rerank_score: float | None
    final_rank: int | None
    """Its rank among the hits; None when it is not one."""
    dropped_by: DropStage | None
    reason: str
    """Why it was dropped; blank for hits."""
    graph_rank: int | None = None
    graph_score: float | None = None
    """How near its entities are to those of the question: 0..1."""
    weighed_score: float | None = None
    """What orders it in the end: the score after fusion, reranking and the weight of its kind."""
    mmr_rank: int | None = None
    """Its rank when what differs from the hits before was preferred."""


@dataclass(frozen=True, kw_only=True)
class RetrievalTrace:
    """How the search went."""

    terms: tuple[QueryTerm, ...]
    matched_by: tuple[str, ...]
    """The rarest terms: a candidate by words has one of them, or all where none is rare."""
    passages: int
    """How many passages the bases hold."""
    exact: bool
    """Whether all permitted vectors were compared, not an approximate index asked."""
    rerank_mode: RerankMode
    rerank_reason: str
    candidates: tuple[CandidateTrace, ...]
    """Every candidate, in the final order: hits first."""
    fusion: Fusion = "coverage"
    language_place: UUID | None = None
    """The hit that has the last place because it is in another language than all others."""


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """The result of one search."""

    query: str
    hits: tuple[RetrievalHit, ...]
    confident: bool | None
    """Whether the best hit is likely to answer; None when it is in another language than the
    question, where nobody can tell. It removes no hit."""
    other_language: bool
    """Whether the best hit is in another language than the question."""
    trace: RetrievalTrace
    timings_ms: dict[str, float]
    """By stage, in their order."""
    warnings: tuple[str, ...]
    """What went worse than it should, for the person who searches."""

    def to_json(self) -> dict[str, Any]:
        """Return the whole result, trace and all, as JSON has it."""
        value: dict[str, Any] = _plain(asdict(self))
        return value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, UUID) else value
