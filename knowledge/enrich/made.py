"""Texts that a model made of passages: rows below the passage that a hit leads to."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from knowledge.batches.prices import input_price
from knowledge.batches.spending import spend
from knowledge.constants import ChunkKind
from knowledge.enrich.registry import Enriching
from knowledge.ingest.embed import embed_chunks
from knowledge.ingest.index import index_some, unindex_chunks
from knowledge.models import Chunk, Document
from knowledge.reembedding.soon import catch_up_soon
from providers.services.clients import get_embedding_model

MODEL, PERSON = "model", "person"
"""`detail.origin` of a made text."""
MOST_CHARACTERS = 4_000


@dataclass(frozen=True, kw_only=True)
class Made:
    """A text to be found in place of its passage."""

    parent: Chunk
    text: str
    source_hash: str
    """Of what it was made from; another one there now means that it is outdated."""


def replace_made(
    enriching: Enriching, *, kind: ChunkKind, made: Sequence[Made], of: Collection[UUID] | None
) -> None:
    """Put texts in the place of those a model made before; what a person wrote stays.

    Args:
        enriching: the enrichment that made them.
        kind: what they are.
        made: the new ones; blank ones and those that stand already are left out.
        of: only texts of these passages are replaced; None: of the whole document.

    Raises:
        JobCancelled: the attempt is over.
    """
    document = enriching.document
    with transaction.atomic():
        enriching.context.check_lease()
        # Positions are given under this lock.
        Document.objects.select_for_update().get(pk=document.pk)
        rows = Chunk.objects.filter(document=document, kind=kind)
        of_these = rows if of is None else rows.filter(parent_id__in=of)
        outdated = list(of_these.exclude(detail__origin=PERSON).values_list("pk", flat=True))
        if outdated:
            unindex_chunks(document, chunk_ids=outdated)
            Chunk.objects.filter(pk__in=outdated).delete()
        last = rows.aggregate(last=Max("position"))["last"]
        first = 0 if last is None else last + 1
        kept = {(row.parent_id, row.content_hash) for row in of_these}
        new = [
            _row(document, kind, each, first + number)
            for number, each in enumerate(_usable(made, kept))
        ]
        Chunk.objects.bulk_create(new, batch_size=500)
        index_some(document, chunk_ids=[row.pk for row in new])


def embed_made(enriching: Enriching) -> None:
    """Give the document's made texts their vectors; outside of a transaction.

    Raises:
        ModelError: the embedding model failed.
        JobCancelled: somebody stopped it.
    """
    document, context = enriching.document, enriching.context
    row = document.base.embedding_model
    price = input_price(row)
    model = get_embedding_model(row, background=True, cancelled=lambda: context.cancelled)
    embed_chunks(
        document,
        model=model,
        should_cancel=lambda: context.cancelled,
        spent=lambda tokens: spend(document, tokens=tokens, cents=price * tokens),
        watchful=True,
    )
    catch_up_soon(document.base_id, embedded_with=model.identity)
    context.check()


def passages_of(document: Document) -> list[Chunk]:
    """Return the passages that may be found, in their order."""
    rows = Chunk.objects.filter(document=document, kind=ChunkKind.TEXT, is_enabled=True)
    return list(rows.order_by("position"))


def _usable(made: Sequence[Made], kept: set[tuple[UUID | None, str]]) -> list[Made]:
    found: list[Made] = []
    for each in made:
        key = (each.parent.pk, _hash(each.text))
        if each.text.strip() and key not in kept:
            kept.add(key)
            found.append(each)
    return found


def _row(document: Document, kind: ChunkKind, made: Made, position: int) -> Chunk:
    parent, text = made.parent, made.text.strip()[:MOST_CHARACTERS]
    return Chunk(
        space_id=document.space_id,
        base_id=document.base_id,
        document=document,
        document_revision=document.revision,
        kind=kind,
        position=position,
        text=text,
        content_hash=_hash(text),
        heading_path=parent.heading_path,
        page_from=parent.page_from,
        page_to=parent.page_to,
        char_start=parent.char_start,
        char_end=parent.char_end,
        parent=parent,
        detail={"origin": MODEL, "source_hash": made.source_hash},
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()
