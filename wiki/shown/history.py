"""Rows of a page's history, and of who wrote what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from wiki.constants import AuthorKind
from wiki.models import WikiPage, WikiRevision
from wiki.pages.blame import BlamedSentence


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """A revision in the list."""

    number: int
    at: datetime
    who: str
    kind: str
    """Badge; blank for people."""
    reason: str
    added: int
    removed: int
    restored_from: int | None
    change_number: int | None
    title: str
    """Where it differs from the page's."""
    is_now: bool
    is_thinned: bool


@dataclass(frozen=True, kw_only=True)
class BlameRow:
    """A sentence with the revision that introduced it."""

    text: str
    number: int
    at: datetime
    who: str
    kind: str
    reason: str
    is_exact: bool
    is_first: bool
    """The sentence before it is of another revision."""


def revision_rows(page: WikiPage, revisions: Iterable[WikiRevision]) -> list[RevisionRow]:
    """Return the rows of a list of revisions with author and change request at hand."""
    return [
        RevisionRow(
            number=row.number,
            at=row.written_at or row.created_at,
            who=str(row.author) if row.author else "",
            kind=_kind(row),
            reason=row.reason,
            added=row.characters_added,
            removed=row.characters_removed,
            restored_from=row.restored_from,
            change_number=row.change.number if row.change else None,
            title=row.title if row.title != page.title else "",
            is_now=row.number == page.version,
            is_thinned=row.thinned_at is not None,
        )
        for row in revisions
    ]


def blame_rows(sentences: Sequence[BlamedSentence]) -> list[BlameRow]:
    """Return the rows of sentences in their order."""
    firsts = [True, *(one.revision.pk != other.revision.pk for one, other in pairwise(sentences))]
    return [
        BlameRow(
            text=each.text,
            number=each.revision.number,
            at=each.revision.written_at or each.revision.created_at,
            who=str(each.author) if each.author else "",
            kind=_kind(each.revision),
            reason=each.revision.reason,
            is_exact=each.is_exact,
            is_first=is_first,
        )
        for each, is_first in zip(sentences, firsts, strict=False)
    ]


def _kind(revision: WikiRevision) -> str:
    if revision.author_kind == AuthorKind.USER:
        return ""
    return str(AuthorKind(revision.author_kind).label)
