"""Bases, documents and chunks for tests. Each function opens the space of what it makes itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count
from typing import Any

from django.utils import timezone

from accounts.models import Space, User
from core.tenancy import space_scope
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase

_numbers = count(1)


def make_base(
    space: Space, *, name: str = "", created_by: User | None = None, **fields: Any
) -> KnowledgeBase:
    """Make a base without documents."""
    with space_scope(space.pk):
        return KnowledgeBase.objects.create(
            space=space, name=name or f"Base {next(_numbers)}", created_by=created_by, **fields
        )


def make_document(
    base: KnowledgeBase,
    *,
    name: str = "",
    texts: Sequence[str] = (),
    state: str = DocumentState.COMPLETED,
    **fields: Any,
) -> Document:
    """Make a document whose chunks hold `texts`; a completed one is to be found by a search.

    There are no vectors and no keyword rows: index it where a test searches.
    """
    name = name or f"document {next(_numbers)}.txt"
    if state == DocumentState.COMPLETED:
        fields.setdefault("searchable_at", timezone.now())
    fields.setdefault("content_hash", hashlib.sha256(name.encode()).hexdigest())
    with space_scope(base.space_id):
        document = Document.objects.create(
            space_id=base.space_id,
            base=base,
            name=name,
            file_type="txt",
            size_bytes=sum(len(text.encode()) for text in texts),
            revision=1,
            state=state,
            chunk_count=len(texts),
            **fields,
        )
        make_chunks(document, texts=texts)
    return document


def make_chunks(document: Document, *, texts: Sequence[str]) -> list[Chunk]:
    """Make one chunk a text, in their order, as if they stood one after the other."""
    chunks: list[Chunk] = []
    start = 0
    for position, text in enumerate(texts):
        chunks.append(
            Chunk(
                space_id=document.space_id,
                base_id=document.base_id,
                document=document,
                document_revision=document.revision,
                position=position,
                text=text,
                content_hash=hashlib.sha256(text.encode()).hexdigest(),
                char_start=start,
                char_end=start + len(text),
            )
        )
        start += len(text) + 1
    with space_scope(document.space_id):
        return Chunk.objects.bulk_create(chunks)
