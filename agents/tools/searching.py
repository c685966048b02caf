"""How an agent searches: where its run may look, with the numbers of its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from agents.configuration import AgentConfig
from agents.tools.deps import RunDeps
from knowledge.constants import SearchDoor
from knowledge.models import Document
from knowledge.retrieval.filter_values import OWN_FIELD, Filter, read_filter
from knowledge.retrieval.hits import Retrieval, RetrievalHit
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.searches.record import record_search
from knowledge.sharing.search import retrieve_shared

PASSAGES_PER_SEARCH = 8
"""What a search gives a model when its agent says nothing."""


class Only(BaseModel):
    """Which documents a model wants to search; each thing that it names has to hold."""

    model_config = ConfigDict(extra="forbid")

    folder: str | None = Field(
        default=None, max_length=1000, description="This folder and those below it."
    )
    tags: list[Annotated[str, Field(max_length=64)]] | None = Field(
        default=None, min_length=1, max_length=20, description="One of these tags, by name."
    )
    file_types: list[Annotated[str, Field(max_length=20)]] | None = Field(
        default=None, min_length=1, max_length=20, description="One of these, as pdf or docx."
    )
    updated_from: date | None = Field(default=None, description="Changed on this day or later.")
    updated_to: date | None = Field(default=None, description="Changed on this day or before.")
    fields: dict[Annotated[str, Field(max_length=64)], str | int | float | bool] | None = Field(
        default=None, max_length=10, description="Custom fields of documents and their values."
    )

    def to_filter(self) -> Filter | None:
        """Return it as searches have it; None when nothing is named.

        Raises:
            Invalid: a value cannot be used.
        """
        given: list[tuple[str, str, Any]] = [
            ("folder", "equals", self.folder),
            ("tag", "in", self.tags),
            ("file_type", "in", self.file_types),
            ("updated", "at_least", self.updated_from and self.updated_from.isoformat()),
            ("updated", "at_most", self.updated_to and self.updated_to.isoformat()),
        ]
        given += [
            (f"{OWN_FIELD}{name}", "equals", each) for name, each in (self.fields or {}).items()
        ]
        conditions = [
            {"field": field, "operator": operator, "value": value}
            for field, operator, value in given
            if value is not None
        ]
        return read_filter({"all_of": conditions}) if conditions else None


def scope_of(
    deps: RunDeps, base_ids: Sequence[UUID] | None = None, *, wanted: Filter | None = None
) -> Scope:
    """Return where to look: never outside of the run's bases and of the documents it was given.

    A named document narrows its own base; the other bases of the run stay whole.
    """
    return Scope(
        base_ids=tuple(deps.base_ids if base_ids is None else base_ids),
        document_ids=deps.document_ids or None,
        whole_base_ids=deps.whole_base_ids,
        filter=wanted,
        strict=False,
    )


def may_read(deps: RunDeps, document: Document) -> bool:
    """Say whether a document lies in the run's scope."""
    if document.base_id not in deps.base_ids:
        return False
    narrowed = deps.document_ids and document.base_id not in deps.whole_base_ids
    return not narrowed or document.pk in deps.document_ids


def find_passages(
    deps: RunDeps,
    *,
    query: str,
    base_ids: Sequence[UUID] | None = None,
    wanted: Filter | None = None,
    door: SearchDoor = SearchDoor.TOOL,
) -> Retrieval:
    """Search as the agent is set up; hits below its thresholds are left out by `passages_of`.

    The search is recorded, with which of its passages the model gets.
    """
    scope = scope_of(deps, base_ids, wanted=wanted)
    settings = retrieval_settings(deps.config)
    found = retrieve_shared(
        deps.actor, query=query, scope=scope, settings=settings, settings_of=deps.shared_by
    )
    record_search(
        deps.actor,
        door=door,
        scope=scope,
        found=found,
        settings=settings,
        run_id=deps.run_id,
        given=frozenset(hit.chunk_id for hit in passages_of(found, deps.config)),
    )
    return found


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
