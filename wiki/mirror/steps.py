"""What a mirror lacks: the revisions of a base in the order they were made, then moves and deletions.

The files are what a viewer of the base who passes no restriction would export: published pages, and
of them no sentence that rests on what is closed to such a reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from wiki.constants import AuthorKind, PageStatus
from wiki.mirror.names import path_of
from wiki.mirror.repository import Commit, Held, clean_name
from wiki.models import WikiPage, WikiRevision
from wiki.pages.files import page_file
from wiki.pages.sources import visible_text
from wiki.text.sentences import split_sentences

_BATCH = 200


@dataclass(kw_only=True)
class Steps:
    """The commits that bring a repository up to the wiki; `paths` follow them as they are made."""

    base: KnowledgeBase
    reader: Actor
    held: Held
    paths: dict[str, str] = field(init=False)
    seconds: int = field(init=False)
    _folded: set[str] = field(init=False)
    _known: set[str] = field(init=False)
    """Revisions that were mirrored, or looked at now."""

    def __post_init__(self) -> None:
        self.paths = dict(self.held.paths)
        self.seconds = self.held.seconds
        self._known = set(self.held.done)
        self._folded = {path.casefold() for path in self.paths.values()}

    def __iter__(self) -> Iterator[Commit]:
        """Yield them in order."""
        yield from self._revisions()
        yield from self._settled()

    def _revisions(self) -> Iterator[Commit]:
        """Yield what was written or put into the trash since, by its time."""
        rows = WikiRevision.objects.filter(page__base=self.base, thinned_at__isnull=True)
        times = rows.order_by("created_at", "page_id", "number").values_list("created_at", "pk")
        removed = WikiPage.objects.filter(base=self.base, trashed_at__isnull=False)
        events: list[tuple[datetime, int, UUID]] = [
            (time, 0, pk) for time, pk in times if str(pk) not in self.held.done
        ]
        for time, pk in removed.values_list("trashed_at", "pk"):
            assert time is not None
            events.append((time, 1, pk))
        events.sort(key=lambda event: event[:2])
        for start in range(0, len(events), _BATCH):
            batch = events[start : start + _BATCH]
            ids = [pk for _time, kind, pk in batch if kind == 0]
            found = WikiRevision.objects.filter(pk__in=ids)
            revisions = {
                row.pk: row for row in found.select_related("page__base", "page__folder", "author")
            }
            for time, kind, pk in batch:
                self._known.add(str(pk))
                if kind == 0 and pk in revisions:
                    yield from self._revision(revisions[pk])
                elif kind == 1 and str(pk) in self.paths:
                    yield self._removal(str(pk), time=int(time.timestamp()))

    def _revision(self, row: WikiRevision) -> Iterator[Commit]:
        page = row.page
        page.version, page.status = row.number, row.status
        page.slug, page.title, page.kind, page.aliases = row.slug, row.title, row.kind, row.aliases
        page.summary, page.content = row.summary, row.content
        text = self._text(page, row.created_at)
        page_id = str(page.pk)
        if text is None and page_id not in self.paths:
            return
        path = self._take(page) if text is not None else self._leave(page_id)
        self.seconds = int(row.created_at.timestamp())
        author, address = _author(row)
        yield Commit(
            page_id=page_id,
            revision_id=str(row.pk),
            path=path,
            text=text or "",
            author=author,
            address=address,
            seconds=self.seconds,
            subject=row.reason or f"{row.title} ({row.number})",
            written_seconds=int(row.written_at.timestamp()) if row.written_at else None,
        )

    def _settled(self) -> Iterator[Commit]:
        """Yield what no revision tells: pages in other folders, back from the trash, or closed."""
        rows = WikiPage.objects.filter(base=self.base, trashed_at__isnull=True)
        open_rows = rows.filter(status=PageStatus.PUBLISHED).select_related("base", "folder")
        stay: set[str] = set()
        for page in open_rows.order_by("created_at", "pk").iterator(chunk_size=_BATCH):
            page_id = str(page.pk)
            if page_id in self.paths and self.paths[page_id] == self._path(page):
                stay.add(page_id)
                continue
            newest = WikiRevision.objects.filter(page=page, number=page.version).first()
            if newest and newest.thinned_at is None and str(newest.pk) not in self._known:
                stay.add(page_id)  # published meanwhile: the next run has it
                continue
            text = self._text(page, newest.created_at if newest else page.updated_at)
            if text is None:
                continue
            stay.add(page_id)
            yield Commit(
                page_id=page_id,
                revision_id="",
                path=self._take(page),
                text=text,
                author="wiki",
                address="wiki",
                seconds=self.seconds,
                subject=f"{page.title}: in its place",
            )
        for page_id in [each for each in self.paths if each not in stay]:
            yield self._removal(page_id, time=self.seconds)

    def _text(self, page: WikiPage, written_at: datetime) -> str | None:
        """Return the file; None: its readers get no page."""
        if page.status != PageStatus.PUBLISHED:
            return None
        shown = visible_text(self.reader, page, page.content)
        if shown.hidden and not split_sentences(shown.content):
            return None
        return page_file(self.reader, page, content=shown.content, written_at=written_at)

    def _removal(self, page_id: str, *, time: int) -> Commit:
        was = self._leave(page_id, gives_path=True)
        self.seconds = max(time, self.seconds)
        return Commit(
            page_id=page_id,
            revision_id="",
            path="",
            text="",
            author="wiki",
            address="wiki",
            seconds=self.seconds,
            subject=f"{was}: deleted",
        )

    def _path(self, page: WikiPage) -> str:
        now = self.paths.get(str(page.pk), "")
        return path_of(
            page.folder.path if page.folder else "",
            page.slug,
            page_id=str(page.pk),
            now=now,
            taken=self._folded,
        )

    def _take(self, page: WikiPage) -> str:
        path = self._path(page)
        self._leave(str(page.pk))
        self.paths[str(page.pk)] = path
        self._folded.add(path.casefold())
        return path

    def _leave(self, page_id: str, *, gives_path: bool = False) -> str:
        was = self.paths.pop(page_id, "")
        self._folded.discard(was.casefold())
        return was if gives_path else ""


def _author(row: WikiRevision) -> tuple[str, str]:
    """Return the name of who made a revision, and what stands before the “@” of their address."""
    if row.author_kind in (AuthorKind.PIPELINE, AuthorKind.AGENT):
        return str(row.author_kind), str(row.author_kind)
    if row.author is None:
        return "somebody", "somebody"
    return clean_name(row.author.name) or f"person {row.author_id}", str(row.author_id)
