"""The models a search asks: how they fail never ends the search, it says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from core.errors import ProjectError
from knowledge.models import Embedding, KnowledgeBase
from knowledge.retrieval.dense import QueryVector
from providers.constants import ModelType
from providers.contracts.embedding import EmbeddingModel, RerankModel
from providers.contracts.errors import ModelError
from providers.services.clients import get_embedding_model, get_rerank_model
from providers.services.models import default_model


@dataclass(frozen=True, kw_only=True)
class QueryVectors:
    """The question as each embedding model of the bases has it."""

    vectors: tuple[QueryVector, ...]
    warnings: tuple[str, ...]


def embed_query(
    question: str, bases: Sequence[KnowledgeBase], *, model_id: UUID | None = None
) -> QueryVectors:
    """Embed the question once a model; a base whose model fails is searched by words only.

    With `model_id` it is embedded by that model of the bases' space alone; a base without vectors
    of it is searched by words only.
    """
    if model_id is not None:
        return _embed_with(model_id, question, bases)
    vectors: dict[str, QueryVector] = {}
    warnings: list[str] = []
    for group in _by_model(bases):
        names = ", ".join(base.name for base in group)
        try:
            model = get_embedding_model(group[0].embedding_model)
            identity = model.identity
            if identity not in vectors:
                vectors[identity] = _embed(model, identity, question)
        except ModelError as error:
            warnings.append(
                f"The embedding model failed ({error.message}): {names} was searched by words only."
            )
            continue
        except ProjectError as error:
            warnings.append(f"{names} was searched by words only. {error.message}")
            continue
        stale = [base.name for base in group if base.embedding_identity not in ("", identity)]
        if stale:
            warnings.append(
                f"{', '.join(stale)} was embedded with another model: what was not read again since"
                " is found by words only."
            )
    return QueryVectors(vectors=tuple(vectors.values()), warnings=tuple(warnings))


def _embed_with(model_id: UUID, question: str, bases: Sequence[KnowledgeBase]) -> QueryVectors:
    """Embed the question with one model that the caller names."""
    names = ", ".join(base.name for base in bases)
    try:
        model = get_embedding_model(model_id)
        vector = _embed(model, model.identity, question)
    except ProjectError as error:
        return QueryVectors(
            vectors=(), warnings=(f"{names} was searched by words only. {error.message}",)
        )
    except ModelError as error:
        failed = (
            f"The embedding model failed ({error.message}): {names} was searched by words only."
        )
        return QueryVectors(vectors=(), warnings=(failed,))
    rows = Embedding.objects.filter(identity=vector.identity)
    without = [base.name for base in bases if not rows.filter(base_id=base.pk).exists()]
    warnings = (
        f"{', '.join(without)} has no vectors of this model and was searched by words only.",
    )
    return QueryVectors(
        vectors=(vector,) if len(without) < len(bases) else (),
        warnings=warnings if without else (),
    )


def find_rerank_model(space_id: int) -> RerankModel | None:
    """Return the space's rerank model; None when it has none."""
    try:
        return get_rerank_model(default_model(space_id, ModelType.RERANK))
    except ProjectError:
        return None


def find_named_rerank_model(model_id: UUID) -> RerankModel | None:
    """Return this rerank model of the current space; None when it is gone or switched off."""
    try:
        return get_rerank_model(model_id)
    except ProjectError:
        return None


def _by_model(bases: Sequence[KnowledgeBase]) -> list[list[KnowledgeBase]]:
    groups: dict[object, list[KnowledgeBase]] = {}
    for base in bases:
        groups.setdefault(base.embedding_model_id, []).append(base)
    return list(groups.values())


def _embed(model: EmbeddingModel, identity: str, question: str) -> QueryVector:
    return QueryVector(identity=identity, vector=model.embed([question], kind="query")[0])
