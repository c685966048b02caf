"""Writes and removes the keyword rows of passages.

How many passages of a base have a term (`TermStatistic`) is counted by triggers on the keyword
rows (migration `count_terms`): the counts are right however rows come and go, also by a cascade.
The row of the empty term counts the base's passages. The triggers let one transaction a base write
at a time; take that lock first (`lock_base`) where a transaction also locks other rows, so that all
do it in one order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from uuid import UUID

from django.db import connection, transaction

from knowledge.constants import ChunkKind
from knowledge.models import Chunk, Document, KeywordRow
from knowledge.text.analyze import ANALYZER_VERSION, analyze
from knowledge.text.passages import INDEXED_AS, text_to_index
from knowledge.text.tsvector import term_vector

_BATCH = 2_000
_CHECKED_EVERY = 200


def index_chunks(document: Document, *, check: Callable[[], None] = lambda: None) -> int:
    """Index every passage of the document by its terms; return how many there are.

    Replaces what was indexed before, in one transaction, so that it may run twice. Call it inside
    of the transaction that makes the document searchable. `check` is called now and then while
    terms are found, and raises to stop.
    """
    chunks = Chunk.objects.filter(document=document).exclude(kind=ChunkKind.PARENT)
    rows: list[KeywordRow] = []
    for chunk in chunks.order_by("kind", "position").iterator(chunk_size=_BATCH):
        if len(rows) % _CHECKED_EVERY == 0:
            check()
        rows.append(_row_of(document, chunk))
    with transaction.atomic():
        lock_base(document.base_id)
        KeywordRow.objects.filter(chunk__document=document).delete()
        KeywordRow.objects.bulk_create(rows, batch_size=_BATCH)
    return len(rows)


def index_some(document: Document, *, chunk_ids: Collection[UUID]) -> int:
    """Index only these passages of the document, anew where they were; return how many there are."""
    chunks = list(Chunk.objects.filter(document=document, pk__in=chunk_ids))
    rows = [_row_of(document, chunk) for chunk in chunks]
    with transaction.atomic():
        lock_base(document.base_id)
        KeywordRow.objects.filter(chunk_id__in=[chunk.pk for chunk in chunks]).delete()
        KeywordRow.objects.bulk_create(rows, batch_size=_BATCH)
    return len(rows)


def unindex_chunks(document: Document, *, chunk_ids: Collection[UUID]) -> None:
    """Take these passages of the document out of the keyword index."""
    with transaction.atomic():
        lock_base(document.base_id)
        KeywordRow.objects.filter(chunk__document=document, chunk_id__in=chunk_ids).delete()


def unindex_document(document: Document) -> None:
    """Take the whole document out of the keyword index; it is no longer searchable."""
    with transaction.atomic():
        lock_base(document.base_id)
        KeywordRow.objects.filter(chunk__document=document).delete()
        Document.objects.filter(pk=document.pk).update(searchable_at=None)


def lock_base(base_id: UUID) -> None:
    """Make other writers of the base's keyword index wait until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT knowledge_lock_terms(%s)", [base_id])


def _row_of(document: Document, chunk: Chunk) -> KeywordRow:
    text = chunk.detail.get(INDEXED_AS) or text_to_index(
        document_name=document.name, heading_path=chunk.heading_path, text=chunk.text
    )
    return KeywordRow(
        space_id=document.space_id,
        base_id=document.base_id,
        chunk=chunk,
        terms=term_vector(analyze(text)),
        analyzer_version=ANALYZER_VERSION,
    )
