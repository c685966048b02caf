"""What passes between the steps of building."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from wiki.constants import PageKind


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage of a document, word for word."""

    chunk_id: UUID
    text: str
    """Without references to pictures."""
    hash: str
    """`content_hash` of its row."""
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document that is built in."""

    document_id: UUID
    name: str
    title: str
    passages: tuple[Passage, ...]
    is_walled: bool = False
    """Whether only some of those who see the base may read it."""

    def passages_with(self, hashes: frozenset[str]) -> tuple[Passage, ...]:
        """Return the passages that have one of these hashes."""
        return tuple(each for each in self.passages if each.hash in hashes)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Something that a document tells about and that has a page, or gets one."""

    slug: str
    name: str
    kind: PageKind
    aliases: tuple[str, ...] = ()
    description: str = ""
    hashes: frozenset[str] = frozenset()
    """Of the passages that speak of it."""
    folder: str = ""
    """Path of the folder that a new page goes into; blank: none."""
    seen: frozenset[str] = frozenset()
    """Of the passages that its page was written from already, whatever came of it."""

    @property
    def is_written(self) -> bool:
        """Whether there is nothing that its page was not written from."""
        return self.hashes <= self.seen


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a document tells, subject by subject."""

    source: Source
    made_from: str
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, kw_only=True)
class Worded:
    """A sentence with the passages that state it."""

    text: str
    chunks: tuple[UUID, ...]


@dataclass(frozen=True, kw_only=True)
class Addition:
    """Sentences for one section."""

    heading: str
    sentences: tuple[Worded, ...]
    as_list: bool = False


@dataclass(frozen=True, kw_only=True)
class Patch:
    """What a document changes of one page; sentences are named by their hashes."""

    summary: Worded | None = None
    replaced: Mapping[str, Worded] = field(default_factory=dict)
    kept: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    """Sentences that a changed document still states, with where it does now."""
    supported: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    """Sentences that the document states, too."""
    removed: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    """Sentences that the document does not state any more; others do."""
    added: tuple[Addition, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        return not (
            self.summary
            or self.replaced
            or self.kept
            or self.supported
            or self.removed
            or self.left
            or self.added
        )
