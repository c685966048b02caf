"""Use cases of taking a wiki out and in: an archive, a page, files, a history written elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import IO
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound, ProjectError
from knowledge.models import KnowledgeBase
from wiki.changes.checking import check_text
from wiki.changes.submitting import Outcome, submit
from wiki.constants import AuthorKind, ChangeAction, PageKind, PageStatus
from wiki.models import WikiFolder, WikiPage, WikiRevision
from wiki.pages.files import page_file, times_of
from wiki.pages.sources import visible_texts
from wiki.pages.transfer import (
    PageFile,
    Problem,
    file_name_of,
    read_archive,
    read_file,
    write_archive,
)
from wiki.pages.writing import lock_wiki, publish, text_of
from wiki.queries import get_page, pages_of, require_wiki
from wiki.services.folders import create_folder
from wiki.text.slugs import clean_slug, slug_for
from wiki.values import Author, Edit, PageText

_BATCH = 100


@dataclass(kw_only=True)
class ImportReport:
    """What became of the files of an import."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    proposed: int = 0
    """They wait for a review."""
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class HistoricRevision:
    """A revision that was written elsewhere."""

    content: str
    written_at: datetime | None = None
    title: str = ""
    """Blank: the page's."""
    reason: str = ""


def export_wiki(actor: Actor, *, base_id: UUID) -> IO[bytes]:
    """Return all pages of a wiki that the actor reads, as they read them, in a ZIP.

    Raises:
        NotFound: there is no such wiki for the actor.
    """
    base = require_wiki(actor, base_id)
    folders = visible(actor, "view", WikiFolder.objects.filter(base=base))
    pages = pages_of(actor, base_id).exclude(status=PageStatus.ARCHIVED).select_related("folder")
    record_audit(actor, "wiki.export", target=base, base_id=base.pk)
    return write_archive(
        _files(actor, list(pages.order_by("slug"))),
        list(folders.order_by("path").values_list("path", flat=True)),
    )


def export_page(actor: Actor, page_id: UUID) -> tuple[str, str]:
    """Return a page's file name and its Markdown, as the actor reads it.

    Raises:
        NotFound: there is no such page for the actor.
    """
    page = get_page(actor, page_id)
    ((name, text),) = _files(actor, [page])
    return name.rpartition("/")[2], text


def import_archive(actor: Actor, *, base_id: UUID, source: IO[bytes]) -> ImportReport:
    """Take the pages of a ZIP in; one whose address is there becomes that page's next revision.

    Each is an edit by the actor: where reviews are asked for it waits. What cannot be taken in is
    told, and stops nothing else.

    Raises:
        NotFound, AccessDenied: as `require` has it for the wiki.
        Invalid, TooLarge, Refused: the archive as a whole cannot be taken in.
    """
    base = require_wiki(actor, base_id)
    require(actor, "edit", base)
    files, problems = read_archive(source)
    report = ImportReport(problems=problems)
    _take_in(actor, base, files, report)
    return report


def import_files(
    actor: Actor, *, base_id: UUID, files: Iterable[tuple[str, bytes]]
) -> ImportReport:
    """Take Markdown files in, each a name and its bytes; otherwise as `import_archive`."""
    base = require_wiki(actor, base_id)
    require(actor, "edit", base)
    report = ImportReport()
    read: list[PageFile] = []
    for name, data in files:
        try:
            read.append(read_file(name, data))
        except ProjectError as error:
            report.problems.append(Problem(name=name, reason=error.message))
    _take_in(actor, base, read, report)
    return report


def import_history(
    actor: Actor,
    *,
    base_id: UUID,
    slug: str,
    title: str,
    revisions: Sequence[HistoricRevision],
    kind: str = PageKind.CONCEPT,
) -> WikiPage:
    """Make a page of revisions that were written elsewhere, oldest first; all of them, or none.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid: there is no revision, or one cannot be kept.
        Conflict: a page has the address.
    """
    base = require_wiki(actor, base_id)
    require(actor, "change", base)
    if not revisions:
        raise Invalid(_("A history needs a revision."))
    text = PageText(slug=clean_slug(slug, kind=kind), title=title, kind=PageKind(kind))
    author = Author(kind=AuthorKind.IMPORT, user_id=actor.user_id)
    page: WikiPage | None = None
    with transaction.atomic():
        for number, each in enumerate(revisions):
            said = replace(text, title=each.title or title, content=each.content)
            edit = Edit(text=check_text(said), author=author, reason=each.reason)
            written = publish(base, page, edit, expected_version=number)
            if each.written_at is not None:
                rows = WikiRevision.objects.filter(pk=written.pk)
                rows.update(written_at=each.written_at)
            page = written.page
        assert page is not None
        record_audit(
            actor, "wiki.import_history", target=page, base_id=base.pk, revisions=len(revisions)
        )
    return page


def _files(actor: Actor, pages: Sequence[WikiPage]) -> Iterator[tuple[str, str]]:
    taken: set[str] = set()
    for start in range(0, len(pages), _BATCH):
        batch = pages[start : start + _BATCH]
        texts, times = visible_texts(actor, batch), times_of(batch)
        for page in batch:
            yield (
                file_name_of(page, taken),
                page_file(
                    actor,
                    page,
                    content=texts[page.pk].content,
                    written_at=times.get(page.pk),
                ),
            )


def _take_in(
    actor: Actor, base: KnowledgeBase, files: Sequence[PageFile], report: ImportReport
) -> None:
    for each in files:
        try:
            with transaction.atomic():
                outcome, is_new = _take_one(actor, base, each)
        except ProjectError as error:
            report.problems.append(Problem(name=each.name, reason=error.message))
            continue
        if outcome.change is not None:
            report.proposed += 1
        elif outcome.revision is None:
            report.unchanged += 1
        elif is_new:
            report.created += 1
        else:
            report.changed += 1
    record_audit(
        actor,
        "wiki.import",
        target=base,
        base_id=base.pk,
        created=report.created,
        changed=report.changed,
        proposed=report.proposed,
        problems=len(report.problems),
    )


def _take_one(actor: Actor, base: KnowledgeBase, file: PageFile) -> tuple[Outcome, bool]:
    lock_wiki(base)
    slug = clean_slug(file.slug, kind=file.kind) if file.slug else slug_for(file.kind, file.title)
    page = WikiPage.objects.filter(base=base, slug=slug, trashed_at__isnull=True).first()
    text = PageText(
        slug=slug,
        title=file.title,
        kind=PageKind(file.kind),
        status=PageStatus(file.status),
        summary=file.summary,
        content=file.content,
        aliases=file.aliases,
    )
    edit = Edit(
        text=text,
        author=Author(kind=AuthorKind.IMPORT, user_id=actor.user_id),
        reason=_("From the file %(name)s") % {"name": file.name},
        folder_id=None if page else _folder(actor, base, file.folder),
    )
    if page is not None and text_of(page) == check_text(text):
        return Outcome(), False
    action = ChangeAction.EDIT if page else ChangeAction.CREATE
    version = page.version if page else 0
    return submit(actor, base, page, edit, on_version=version, action=action), page is None


def _folder(actor: Actor, base: KnowledgeBase, path: str) -> UUID | None:
    """Return the folder of a path, made as far as it is not there."""
    parent_id: UUID | None = None
    at = ""
    for name in path.split("/") if path else ():
        at = f"{at}/{name}" if at else name
        found = WikiFolder.objects.filter(base=base, path=at).first()
        if found is None:
            try:
                found = create_folder(actor, base_id=base.pk, name=name, parent_id=parent_id)
            except (Conflict, NotFound) as error:
                raise Invalid(error.message) from error
        parent_id = found.pk
    return parent_id
