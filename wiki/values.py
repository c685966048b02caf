"""What passes between the parts of the wiki."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from core.errors import Conflict
from wiki.constants import AuthorKind, PageKind, PageStatus


@dataclass(frozen=True, kw_only=True)
class Author:
    """Who makes an edit."""

    kind: AuthorKind
    user_id: int | None = None
    agent_id: UUID | None = None
    run_id: UUID | None = None


@dataclass(frozen=True, kw_only=True)
class PageText:
    """All that a revision of a page says."""

    slug: str
    title: str
    kind: PageKind = PageKind.CONCEPT
    status: PageStatus = PageStatus.PUBLISHED
    summary: str = ""
    content: str = ""
    aliases: tuple[str, ...] = ()


Sources = Mapping[str, Sequence[UUID]]
"""Hash of a sentence (`wiki.text.sentences.sentence_hash`) -> the chunks that it rests on."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """An edit of one page, as it is handed to `wiki.changes.submitting.submit`."""

    text: PageText
    author: Author
    reason: str = ""
    folder_id: UUID | None = None
    """Of a new page; a move of a page is no edit."""
    sources: Sources = field(default_factory=dict)
    restored_from: int | None = None
    issue_id: UUID | None = None
    """The issue that the edit mends."""


class VersionConflict(Conflict):
    """The page was changed since the text was read that the edit was made on."""

    def __init__(self, message: str, *, current_version: int) -> None:
        super().__init__(message)
        self.current_version = current_version


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
