"""What a passage said at which time, each beside what it said before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.textdiff import Row, diff_lines
from knowledge.constants import RevisionKind
from knowledge.corrections.rows import correction_of, read_text
from knowledge.models import Chunk

CONTEXT_LINES = 1
NEWEST = 50


@dataclass(frozen=True, kw_only=True)
class Revision:
    """One text of a passage."""

    number: int
    """0: what was read from the file."""
    kind: str
    author: str
    at: datetime | None
    is_enabled: bool
    rows: tuple[Row, ...]
    """What changed in it; nothing in the first."""
    is_now: bool


def revisions_of(chunk: Chunk) -> list[Revision]:
    """Return the revisions of a passage that the caller may see, newest first."""
    correction = correction_of(chunk.pk)
    read = read_text(chunk)
    before = read
    made = [
        Revision(
            number=0,
            kind="",
            author="",
            at=None,
            is_enabled=True,
            rows=(),
            is_now=chunk.text == read and chunk.is_enabled,
        )
    ]
    if correction is None:
        return made
    revisions = correction.revisions.select_related("author").order_by("-number")[:NEWEST]
    for row in reversed(revisions):
        made.append(
            Revision(
                number=row.number,
                kind=str(RevisionKind(row.kind).label),
                author=str(row.author) if row.author else "",
                at=row.created_at,
                is_enabled=row.is_enabled,
                rows=diff_lines(before, row.text, context=CONTEXT_LINES),
                is_now=row.text == chunk.text and row.is_enabled == chunk.is_enabled,
            )
        )
        before = row.text
    return made[::-1]
