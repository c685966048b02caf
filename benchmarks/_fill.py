"""Fills a base without a job a document: the product's split, embedding and index, in large batches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks._report import progress

if TYPE_CHECKING:
    from accounts.access import Actor
    from knowledge.models import Document, KnowledgeBase

_BATCH = 64
_vectors: dict[str, NDArray[np.float32]] = {}
"""By the text that was embedded: the small bases hold passages of the large ones."""


def fill_base(
    actor: Actor, name: str, passages: Sequence[dict[str, Any]]
) -> tuple[UUID, dict[str, str]]:
    """Put each passage into a new base as a document; return the base and the documents' names."""
    from knowledge.ingest.embed import embed_chunks  # noqa: PLC0415  after the settings
    from knowledge.ingest.index import index_chunks  # noqa: PLC0415
    from knowledge.models import KnowledgeBase  # noqa: PLC0415
    from knowledge.services.bases import create_base  # noqa: PLC0415
    from providers.services.clients import get_embedding_model  # noqa: PLC0415

    began = time.monotonic()
    base = create_base(actor, name=name)
    model = get_embedding_model(base.embedding_model)
    # Names say nothing, so that only the text is searched.
    names = {each["id"]: f"{number:04}.txt" for number, each in enumerate(passages)}
    documents = [_document(base, names[each["id"]], each["text"]) for each in passages]
    known = _Known(model)
    known.learn(base)
    for document in documents:
        embed_chunks(document, model=known)
        index_chunks(document)
    KnowledgeBase.objects.filter(pk=base.pk).update(embedding_identity=model.identity)
    progress(f"{name}: {len(passages)} documents in {time.monotonic() - began:.0f} s")
    return base.pk, names


def _document(base: KnowledgeBase, name: str, text: str) -> Document:
    from django.utils import timezone  # noqa: PLC0415  after the settings

    from knowledge.base_settings import SplitOptions  # noqa: PLC0415
    from knowledge.constants import DocumentState  # noqa: PLC0415
    from knowledge.ingest.chunks import replace_chunks  # noqa: PLC0415
    from knowledge.ingest.tiers import split_document  # noqa: PLC0415
    from knowledge.models import Document  # noqa: PLC0415
    from knowledge.parsers.contract import Block, ParsedDocument  # noqa: PLC0415

    drafts = split_document(ParsedDocument(blocks=(Block(markdown=text),)), SplitOptions()).chunks
    document = Document.objects.create(
        space_id=base.space_id,
        base=base,
        name=name,
        file_type="txt",
        size_bytes=len(text.encode()),
        content_hash=name.rjust(64, "0"),
        revision=1,
        state=DocumentState.COMPLETED,
        searchable_at=timezone.now(),
        chunk_count=len(drafts),
    )
    replace_chunks(document, drafts, revision=1)
    return document


class _Known:
    """The model, asked in large batches beforehand."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.identity: str = model.identity
        self.dimensions: int = model.dimensions

    def learn(self, base: KnowledgeBase) -> None:
        """Embed every passage of a base that is not known."""
        from knowledge.models import Chunk  # noqa: PLC0415  after the settings
        from knowledge.text.passages import text_to_embed  # noqa: PLC0415

        rows = Chunk.objects.filter(base=base).select_related("document")
        texts = [
            text_to_embed(
                document_name=row.document.name, heading_path=row.heading_path, text=row.text
            )
            for row in rows
        ]
        new = sorted(set(texts) - _vectors.keys(), key=len)
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            _vectors.update(zip(batch, self._model.embed(batch, kind="passage"), strict=True))

    def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        """Return the vectors; all are known."""
        del kind
        return np.stack([_vectors[text] for text in texts])
