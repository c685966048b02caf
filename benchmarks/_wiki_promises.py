"""What must hold of a wiki whatever was done to it at once; see `_wiki_races`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import UUID

from wiki.constants import ChangeAction, ChangeState, Verdict
from wiki.models import (
    WikiChange,
    WikiFolder,
    WikiLink,
    WikiPage,
    WikiRedirect,
    WikiReview,
    WikiRevision,
)
from wiki.pages.writing import pages_by_slug
from wiki.text.links import slugs_in
from wiki.values import hash_of

if TYPE_CHECKING:
    from benchmarks._wiki_races import Case


def broken_promises(case: Case) -> list[str]:
    """Return what does not hold, in words."""
    pages = list(WikiPage.objects.filter(base=case.base))
    revisions: dict[UUID, list[WikiRevision]] = {page.pk: [] for page in pages}
    for row in WikiRevision.objects.filter(page__base=case.base).order_by("number"):
        revisions[row.page_id].append(row)
    return [
        *case.surprises,
        *_chains(pages, revisions),
        *_addresses(case, pages),
        *_links(case, pages),
        *_edits(case, revisions),
        *_changes(case, revisions),
        *_folders(case),
    ]


def _chains(pages: list[WikiPage], revisions: dict[UUID, list[WikiRevision]]) -> Iterator[str]:
    """One published text a page, at the end of a chain without gaps."""
    for page in pages:
        rows = revisions[page.pk]
        if [row.number for row in rows] != list(range(1, page.version + 1)):
            yield f"{page.slug}: revisions {[row.number for row in rows]}, version {page.version}"
            continue
        last = rows[-1]
        for name in ("slug", "title", "kind", "status", "summary", "content", "aliases"):
            if getattr(page, name) != getattr(last, name):
                yield f"{page.slug}: {name} is not that of its newest revision"
        for row in rows:
            if row.content_hash != hash_of(row.content):
                yield f"{page.slug} {row.number}: the hash is another text's"


def _addresses(case: Case, pages: list[WikiPage]) -> Iterator[str]:
    """An address leads to one page."""
    live = Counter(page.slug for page in pages if page.trashed_at is None)
    yield from (f"{slug} is the address of {n} pages" for slug, n in live.items() if n > 1)
    for redirect in WikiRedirect.objects.filter(base=case.base).select_related("page"):
        if redirect.slug in live:
            yield f"{redirect.slug} is a page and an old address"
        if redirect.page.trashed_at is not None:
            yield f"{redirect.slug} leads into the trash"


def _links(case: Case, pages: list[WikiPage]) -> Iterator[str]:
    """Rows of links say what the texts say, and lead where the addresses lead."""
    for page in pages:
        rows = dict(WikiLink.objects.filter(source=page).values_list("slug", "target_id"))
        wanted = [] if page.trashed_at else slugs_in(page.content)
        if set(rows) != set(wanted):
            yield f"{page.slug}: links {sorted(rows)}, its text has {sorted(wanted)}"
        targets = pages_by_slug(case.base.pk, list(rows))
        for slug, target in rows.items():
            if target != targets.get(slug):
                yield f"{page.slug}: [[{slug}]] leads to {target}, not {targets.get(slug)}"


def _edits(case: Case, revisions: dict[UUID, list[WikiRevision]]) -> Iterator[str]:
    """What was accepted stands in the chain, right behind the text that its author saw."""
    for edit in case.accepted:
        rows = revisions[edit.page_id]
        if rows[edit.number - 1].content != edit.text:
            yield f"an accepted edit is not revision {edit.number}"
        elif rows[edit.number - 2].content_hash != edit.seen_hash:
            yield f"revision {edit.number} wrote over one that its author never saw"


def _changes(case: Case, revisions: dict[UUID, list[WikiRevision]]) -> Iterator[str]:
    """A published request is one revision, word for word, and somebody approved that edition."""
    of_change: dict[UUID, list[WikiRevision]] = {}
    for rows in revisions.values():
        for row in rows:
            if row.change_id:
                of_change.setdefault(row.change_id, []).append(row)
    for change in WikiChange.objects.filter(base=case.base):
        written = of_change.get(change.pk, [])
        if change.action == ChangeAction.DELETE:
            continue
        published = change.state == ChangeState.PUBLISHED
        if len(written) != published:
            yield f"#{change.number} is {change.state} and has {len(written)} revisions"
        for row in written:
            if (row.number, row.content) != (change.published_number, change.content):
                yield f"#{change.number}: another text than the proposal was published"
            if row.number - 1 != change.on_version:
                yield f"#{change.number}: published over a version that it was not made on"
        approvals = WikiReview.objects.filter(
            change=change, edition=change.edition, verdict=Verdict.APPROVE
        )
        if published and not change.approved_by_rule and not approvals.exists():
            yield f"#{change.number}: published, and nobody approved that edition"


def _folders(case: Case) -> Iterator[str]:
    """Paths follow from names and parents, at most three deep."""
    for folder in WikiFolder.objects.filter(base=case.base).select_related("parent"):
        above = f"{folder.parent.path}/" if folder.parent else ""
        if folder.path != above + folder.name or folder.depth != folder.path.count("/") + 1:
            yield f"folder {folder.path!r} is not at {above + folder.name!r}"
        if folder.depth > 3:
            yield f"folder {folder.path!r} is {folder.depth} deep"
