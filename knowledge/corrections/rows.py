"""What a passage's row says of its correction, and what a correction keeps of its surroundings."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.db.models import Max

from knowledge.constants import ChunkKind, RevisionKind
from knowledge.corrections.anchor import CONTEXT_CHARACTERS
from knowledge.models import Chunk, Correction, CorrectionRevision

READ, AROUND = "read", "around"
"""Keys of `Chunk.detail`: the text as it was read, where that differs; how many of its characters
at both ends are repeated from elsewhere, where there are any."""


_NEIGHBORS = 3
_GAP = "\n\n"
"""Blanks between passages are in no row, and are not compared."""


def read_text(chunk: Chunk) -> str:
    """Return the passage's text as the parser had it."""
    return str(chunk.detail.get(READ, chunk.text))


def around_of(chunk: Chunk) -> tuple[int, int]:
    """Return how many characters at both ends of what was read are repeated from elsewhere."""
    found = chunk.detail.get(AROUND)
    return (int(found[0]), int(found[1])) if found else (0, 0)


def detail_with(chunk: Chunk, *, read: str, around: tuple[int, int]) -> dict[str, Any]:
    """Return the row's `detail` with this said about what was read."""
    detail = {key: value for key, value in chunk.detail.items() if key not in (READ, AROUND)}
    if read != chunk.text:
        detail[READ] = read
    if any(around):
        detail[AROUND] = list(around)
    return detail


def hash_of(text: str) -> str:
    """Return what tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def context_of(chunk: Chunk) -> tuple[str, str]:
    """Return what was read before and behind the passage, from its neighbors' rows."""
    rows = Chunk.objects.filter(document_id=chunk.document_id, kind=ChunkKind.TEXT)
    before, start = "", chunk.char_start
    for row in rows.filter(position__lt=chunk.position).order_by("-position")[:_NEIGHBORS]:
        before = _own_text(row)[: max(0, start - row.char_start)] + _GAP + before
        start = min(start, row.char_start)
    after, end = "", chunk.char_end
    for row in rows.filter(position__gt=chunk.position).order_by("position")[:_NEIGHBORS]:
        after += _GAP + _own_text(row)[max(0, end - row.char_start) :]
        end = max(end, row.char_end)
    return before[-CONTEXT_CHARACTERS:], after[:CONTEXT_CHARACTERS]


def add_revision(
    correction: Correction,
    *,
    kind: RevisionKind,
    author_id: int | None,
    text: str | None = None,
    is_enabled: bool | None = None,
) -> CorrectionRevision:
    """Write down what the correction says now; numbers grow by one."""
    last = correction.revisions.aggregate(last=Max("number"))["last"] or 0
    return CorrectionRevision.objects.create(
        space_id=correction.space_id,
        correction=correction,
        number=last + 1,
        kind=kind,
        text=correction.text if text is None else text,
        is_enabled=correction.is_enabled if is_enabled is None else is_enabled,
        author_id=author_id,
    )


def correction_of(chunk_id: UUID) -> Correction | None:
    """Return what is said about a passage now, or was the last that was."""
    rows = Correction.objects.filter(chunk_id=chunk_id)
    return rows.order_by("state", "-updated_at").first()  # "applied" sorts first


def _own_text(chunk: Chunk) -> str:
    head, tail = around_of(chunk)
    text = read_text(chunk)
    return text[head : len(text) - tail]
