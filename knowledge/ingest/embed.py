"""Makes the vectors of a document's passages. Safe to run twice: only what lacks one is embedded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from django.db import IntegrityError, transaction
from numpy.typing import NDArray

from core.jobs.interrupt import call_interruptibly
from knowledge.constants import ChunkKind
from knowledge.models import Chunk, Document, Embedding, KnowledgeBase
from knowledge.text.passages import INDEXED_AS, text_to_embed
from providers.contracts.embedding import EmbeddingModel
from providers.contracts.errors import ModelError
from providers.tokens import estimate_tokens

BATCH = 8
"""Passages a call: a cancelled document stops after one batch, a killed one loses one at most."""
_TWINS_AT_ONCE = 500
_Vectors = NDArray[np.float32] | Sequence[list[float]]
_Store = Callable[[Document, Sequence[Chunk], _Vectors, EmbeddingModel], int]


def embed_chunks(
    document: Document,
    *,
    model: EmbeddingModel,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    should_cancel: Callable[[], bool] = lambda: False,
    spent: Callable[[int], None] = lambda _tokens: None,
    watchful: bool = False,
) -> int:
    """Give every passage of the document a vector of `model`; return how many were made now.

    A passage with the same text under the same title and headings elsewhere in the base lends its
    vector. Returns early, with what is done, when `should_cancel` says so.

    Args:
        document: whose passages.
        model: its `identity` is stored with each vector.
        progress: told (passages with a vector, all passages) after each batch.
        should_cancel: asked before each batch, and while the model works on one.
        spent: told after each batch how many tokens it had, estimated.
        watchful: whether others may change the document meanwhile, because it is found already:
            a vector is then stored only where the passage still says what was embedded.

    Raises:
        ModelError: a call failed, or gave vectors of another shape.
        JobCancelled: `should_cancel` said so while the model worked.
    """
    searched = Chunk.objects.filter(document=document).exclude(kind=ChunkKind.PARENT)
    total = searched.count()
    missing = list(
        searched.exclude(embeddings__identity=model.identity).order_by("kind", "position")
    )
    done = total - len(missing)
    progress(done, total)
    store = _store_if_unchanged if watchful else _store
    missing = _lend_vectors(document, missing, model, store=store)
    made = total - done - len(missing)
    for batch in _batches(missing, BATCH):
        if should_cancel():
            return made
        texts = [text_of_vector(document, chunk) for chunk in batch]
        vectors = call_interruptibly(partial(_embed, model, texts), should_cancel=should_cancel)
        made += store(document, batch, vectors, model)
        spent(sum(map(estimate_tokens, texts)))
        progress(done + made, total)
    progress(total, total)
    return made


def embeds_with_another(base: KnowledgeBase) -> bool:
    """Say whether the base has another embedding model by now than `base` was read with.

    Asked under `lock_base`, in the transaction that makes passages searchable.
    """
    now = KnowledgeBase.objects.filter(pk=base.pk).values_list("embedding_model_id", flat=True)
    return next(iter(now), None) != base.embedding_model_id


def _embed(model: EmbeddingModel, texts: Sequence[str]) -> NDArray[np.float32]:
    vectors = model.embed(texts, kind="passage")
    if vectors.shape != (len(texts), model.dimensions) or not np.isfinite(vectors).all():
        raise ModelError(
            "bad_response",
            f"The embedding model gave vectors of shape {vectors.shape} for {len(texts)} texts;"
            f" {model.dimensions} finite numbers each were expected.",
        )
    return vectors


def _store(
    document: Document,
    chunks: Sequence[Chunk],
    vectors: _Vectors,
    model: EmbeddingModel,
) -> int:
    # Another worker may have been faster after a take-over: its vector is the same.
    Embedding.objects.bulk_create(
        [
            Embedding(
                space_id=document.space_id,
                base_id=document.base_id,
                chunk=chunk,
                identity=model.identity,
                dimensions=model.dimensions,
                vector=vector,
            )
            for chunk, vector in zip(chunks, vectors, strict=True)
        ],
        ignore_conflicts=True,
    )
    return len(chunks)


def _store_if_unchanged(
    document: Document,
    chunks: Sequence[Chunk],
    vectors: _Vectors,
    model: EmbeddingModel,
) -> int:
    """Store the vectors of passages that are still in the same base and say the same.

    A correction, a rename and a move take the lock of the document's row first: a vector of the old
    text, which nobody would ever make again, cannot slip in behind them.
    """
    try:
        with transaction.atomic():
            locked = Document.objects.select_for_update(no_key=True)
            now = locked.filter(pk=document.pk, base_id=document.base_id).first()
            if now is None:
                return 0
            rows = Chunk.objects.filter(document=now, pk__in=[chunk.pk for chunk in chunks])
            texts = {row.pk: text_of_vector(now, row) for row in rows}
            same = [
                (chunk, vector)
                for chunk, vector in zip(chunks, vectors, strict=True)
                if texts.get(chunk.pk) == text_of_vector(document, chunk)
            ]
            return _store(now, [each for each, _ in same], [each for _, each in same], model)
    except IntegrityError:  # a reading took a passage away just then; the next look finds the rest
        return 0


def _lend_vectors(
    document: Document, missing: Sequence[Chunk], model: EmbeddingModel, *, store: _Store
) -> list[Chunk]:
    """Copy vectors of equal passages; return the chunks for which there are none."""
    left: list[Chunk] = []
    for batch in _batches(missing, _TWINS_AT_ONCE):
        known = _vectors_of_twins(document, batch, model)
        lent = [chunk for chunk in batch if text_of_vector(document, chunk) in known]
        store(document, lent, [known[text_of_vector(document, chunk)] for chunk in lent], model)
        left += [chunk for chunk in batch if text_of_vector(document, chunk) not in known]
    return left


def _vectors_of_twins(
    document: Document, chunks: Sequence[Chunk], model: EmbeddingModel
) -> dict[str, list[float]]:
    """Return vectors in the base by the text that was embedded."""
    rows = Embedding.objects.filter(
        base_id=document.base_id,
        identity=model.identity,
        dimensions=model.dimensions,
        chunk__content_hash__in=[chunk.content_hash for chunk in chunks],
    ).select_related("chunk__document")
    return {text_of_vector(row.chunk.document, row.chunk): row.vector for row in rows}


def text_of_vector(document: Document, chunk: Chunk) -> str:
    """Return what of a passage is embedded: its text below the document's name and its headings."""
    if INDEXED_AS in chunk.detail:
        return str(chunk.detail[INDEXED_AS])
    return text_to_embed(
        document_name=document.name, heading_path=chunk.heading_path, text=chunk.text
    )


def _batches(chunks: Sequence[Chunk], size: int) -> Iterator[Sequence[Chunk]]:
    for start in range(0, len(chunks), size):
        yield chunks[start : start + size]
