"""Writes many passages with vectors and terms into a base: COPY into the product's own tables.

The triggers that count terms run as they do for any other writer.
"""

from __future__ import annotations

import hashlib
import struct
import uuid
from collections.abc import Iterator, Sequence

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from knowledge.constants import DocumentState
from knowledge.ingest.index import lock_base
from knowledge.models import Document, KnowledgeBase
from knowledge.text.analyze import ANALYZER_VERSION
from knowledge.text.tsvector import term_vector

_CHUNKS_A_DOCUMENT = 20
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_END = struct.pack("!h", -1)


class BulkBase:
    """A base that is filled."""

    def __init__(self, base: KnowledgeBase, *, identity: str) -> None:
        self.base = base
        self.identity = identity
        self._documents = 0

    def write(
        self, *, texts: Sequence[str], terms: Sequence[Sequence[str]], vectors: np.ndarray
    ) -> None:
        """Add one passage a text; `vectors` has the shape (len(texts), dimensions)."""
        ids = [uuid.uuid4() for _ in texts]
        with transaction.atomic():
            lock_base(self.base.pk)
            documents = self._make_documents(len(texts))
            self._copy_chunks(ids, texts, documents)
            self._copy_vectors(ids, vectors)
            self._copy_terms(ids, terms)

    def _make_documents(self, chunks: int) -> list[uuid.UUID]:
        rows = []
        for start in range(0, chunks, _CHUNKS_A_DOCUMENT):
            self._documents += 1
            name = f"{self._documents:06}.txt"
            rows.append(
                Document(
                    space_id=self.base.space_id,
                    base=self.base,
                    name=name,
                    file_type="txt",
                    size_bytes=1,
                    revision=1,
                    state=DocumentState.COMPLETED,
                    searchable_at=timezone.now(),
                    chunk_count=min(_CHUNKS_A_DOCUMENT, chunks - start),
                    content_hash=hashlib.sha256(name.encode()).hexdigest(),
                )
            )
        Document.objects.bulk_create(rows)
        return [row.pk for row in rows]

    def _copy_chunks(
        self, ids: Sequence[uuid.UUID], texts: Sequence[str], documents: Sequence[uuid.UUID]
    ) -> None:
        now = timezone.now()
        columns = (
            "id, space_id, base_id, document_id, document_revision, kind, position, text,"
            " content_hash, heading_path, char_start, char_end, is_enabled, detail, version,"
            " created_at"
        )
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY knowledge_chunk ({columns}) FROM STDIN") as copy,
        ):
            for number, (chunk_id, text) in enumerate(zip(ids, texts, strict=True)):
                document, position = divmod(number, _CHUNKS_A_DOCUMENT)
                hashed = hashlib.sha256(chunk_id.bytes).hexdigest()
                place = (documents[document], 1, "text", position, text, hashed, "[]")
                rest = (0, len(text), True, "{}", 1, now)
                copy.write_row((chunk_id, self.base.space_id, self.base.pk, *place, *rest))

    def _copy_vectors(self, ids: Sequence[uuid.UUID], vectors: np.ndarray) -> None:
        columns = "space_id, base_id, chunk_id, identity, dimensions, vector"
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY knowledge_embedding ({columns}) FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.write(_SIGNATURE)
            for piece in self._vector_rows(ids, vectors):
                copy.write(piece)
            copy.write(_END)

    def _vector_rows(self, ids: Sequence[uuid.UUID], vectors: np.ndarray) -> Iterator[bytes]:
        dimensions = vectors.shape[1]
        halves = vectors.astype(">f2")
        for chunk_id, vector in zip(ids, halves, strict=True):
            fields = (
                struct.pack("!q", self.base.space_id),
                self.base.pk.bytes,
                chunk_id.bytes,
                self.identity.encode(),
                struct.pack("!h", dimensions),
                struct.pack("!hh", dimensions, 0) + vector.tobytes(),
            )
            packed = (struct.pack("!i", len(each)) + each for each in fields)
            yield struct.pack("!h", len(fields)) + b"".join(packed)

    def _copy_terms(self, ids: Sequence[uuid.UUID], terms: Sequence[Sequence[str]]) -> None:
        columns = "space_id, base_id, chunk_id, terms, analyzer_version"
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY knowledge_keywordrow ({columns}) FROM STDIN") as copy,
        ):
            for chunk_id, own in zip(ids, terms, strict=True):
                row = (self.base.space_id, self.base.pk, chunk_id, term_vector(own))
                copy.write_row((*row, ANALYZER_VERSION))
