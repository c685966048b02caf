"""How an agent searches: where its run may look, with the numbers of its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from agents.configuration import AgentConfig
from agents.tools.deps import RunDeps
from knowledge.models import Document
from knowledge.retrieval.hits import Retrieval, RetrievalHit
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.sharing.search import retrieve_shared

PASSAGES_PER_SEARCH = 8
"""What a search gives a model when its agent says nothing."""


def scope_of(deps: RunDeps, base_ids: Sequence[UUID] | None = None) -> Scope:
    """Return where to look: never outside of the run's bases and of the documents it was given.

    A named document narrows its own base; the other bases of the run stay whole.
    """
    return Scope(
        base_ids=tuple(deps.base_ids if base_ids is None else base_ids),
        document_ids=deps.document_ids or None,
        whole_base_ids=deps.whole_base_ids,
        strict=False,
    )


def may_read(deps: RunDeps, document: Document) -> bool:
    """Say whether a document lies in the run's scope."""
    if document.base_id not in deps.base_ids:
        return False
    narrowed = deps.document_ids and document.base_id not in deps.whole_base_ids
    return not narrowed or document.pk in deps.document_ids


def find_passages(
    deps: RunDeps, *, query: str, base_ids: Sequence[UUID] | None = None
) -> Retrieval:
    """Search as the agent is set up; hits below its thresholds are left out by `passages_of`."""
    return retrieve_shared(
        deps.actor,
        query=query,
        scope=scope_of(deps, base_ids),
        settings=retrieval_settings(deps.config),
        settings_of=deps.shared_by,
    )


def passages_of(retrieval: Retrieval, config: AgentConfig) -> list[RetrievalHit]:
    """Return the hits that the model gets: the best ones, without those that are too weak."""
    limit = config.rerank_top_k or PASSAGES_PER_SEARCH
    return [hit for hit in retrieval.hits if _is_strong_enough(hit, config)][:limit]


def retrieval_settings(config: AgentConfig) -> RetrievalSettings:
    """Return the agent's wishes; what it leaves open is the base's to say."""
    return RetrievalSettings(
        limit=max(config.rerank_top_k, PASSAGES_PER_SEARCH) if config.rerank_top_k else None,
        rerank_model_id=_uuid_or_none(config.rerank_model_id),
    )


def _is_strong_enough(hit: RetrievalHit, config: AgentConfig) -> bool:
    """A hit stays when it is close enough by meaning or by words; a reranked one by its score."""
    if config.rerank_threshold is not None and hit.rerank_score is not None:
        return hit.rerank_score >= config.rerank_threshold
    checks = [
        score >= threshold
        for score, threshold in (
            (hit.dense_score or 0.0, config.vector_threshold),
            (hit.keyword_score, config.keyword_threshold),
        )
        if threshold is not None
    ]
    return any(checks) if checks else True


def _uuid_or_none(value: str) -> UUID | None:
    return UUID(value) if value else None
