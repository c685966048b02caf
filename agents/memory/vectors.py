"""Vectors of items by the space's embedding model, kept in the cache; recall works without them.

They are made by a job when something was written. A question is embedded only where vectors are
kept, and whatever goes wrong with the model leaves recall to the words.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import numpy as np
from django.core.cache import cache
from numpy.typing import NDArray

from agents.constants import MemoryState
from agents.models import MemoryItem, MemoryOwner
from core.errors import ProjectError
from providers.constants import ModelType
from providers.contracts.embedding import EmbeddingModel
from providers.contracts.errors import ModelError
from providers.models import AIModel
from providers.services.clients import get_embedding_model
from providers.services.models import default_model

logger = logging.getLogger(__name__)
KEPT = timedelta(days=30)
Vector = NDArray[np.float32]


class VectorsUnavailable(Exception):
    """The embedding model failed; the message is for people."""


def embed_items(owner: MemoryOwner) -> int:
    """Embed the items in use that have no vector yet; return how many.

    Raises:
        ProjectError, ModelError: the model is gone or failed.
    """
    items = list(MemoryItem.objects.filter(owner=owner, state=MemoryState.ACTIVE))
    if not items:
        return 0
    model = get_embedding_model(_row(owner.space_id), background=True)
    identity = model.identity
    kept = cache.get_many([_key(item, identity) for item in items])
    missing = [item for item in items if _key(item, identity) not in kept]
    if missing:
        vectors = model.embed([item.text for item in missing], kind="passage")
        made = {
            _key(item, identity): vector.astype(np.float16).tobytes()
            for item, vector in zip(missing, vectors, strict=True)
        }
        cache.set_many(made, timeout=int(KEPT.total_seconds()))
    return len(missing)


def likeness(question: str, items: Sequence[MemoryItem]) -> dict[UUID, float]:
    """Return the cosine of question and item for those that have a vector.

    Raises:
        VectorsUnavailable: there are vectors, but the question can't be embedded.
    """
    if not items:
        return {}
    try:
        model = get_embedding_model(_row(items[0].space_id))
    except ProjectError:
        return {}
    try:
        return _likeness(model, question, items)
    except (ModelError, ProjectError) as failure:
        raise VectorsUnavailable(str(failure)) from failure


def _likeness(
    model: EmbeddingModel, question: str, items: Sequence[MemoryItem]
) -> dict[UUID, float]:
    identity = model.identity
    keys = {_key(item, identity): item for item in items}
    kept = cache.get_many(list(keys))
    if not kept:
        return {}
    asked: Vector = model.embed([question[:2000]], kind="query")[0]
    return {keys[key].pk: float(_vector(stored) @ asked) for key, stored in kept.items()}


def stored_vectors(items: Sequence[MemoryItem]) -> dict[UUID, Vector]:
    """Return the vectors that are kept; none when there is no embedding model."""
    if not items:
        return {}
    try:
        identity = get_embedding_model(_row(items[0].space_id)).identity
    except (ModelError, ProjectError) as failure:
        logger.debug("No vectors of memories: %s", failure)
        return {}
    keys = {_key(item, identity): item for item in items}
    return {keys[key].pk: _vector(raw) for key, raw in cache.get_many(list(keys)).items()}


def _row(space_id: int) -> AIModel:
    return default_model(space_id, ModelType.EMBEDDING)


def _vector(stored: bytes) -> Vector:
    return np.frombuffer(stored, dtype=np.float16).astype(np.float32)


def _key(item: MemoryItem, identity: str) -> str:
    """Return the cache's key: bound to space, person, model and words."""
    parts = f"{item.space_id}\0{item.owner_id}\0{identity}\0{item.text}"
    return "memory-vector:" + hashlib.sha256(parts.encode()).hexdigest()
