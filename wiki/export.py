"""What wikis put into the copy of a space: pages with their history, as far as its person reads them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from accounts.access import Actor, visible
from accounts.platform.export import Row, Table, export_table, leave_out
from knowledge.models import Chunk
from wiki.models import (
    WikiBuild,
    WikiChange,
    WikiComment,
    WikiDraft,
    WikiFolder,
    WikiIssue,
    WikiLink,
    WikiLint,
    WikiMirror,
    WikiNotice,
    WikiOperation,
    WikiPage,
    WikiReading,
    WikiRedirect,
    WikiRefusal,
    WikiReview,
    WikiReviewer,
    WikiRevision,
    WikiSentence,
    WikiSettings,
    WikiWatch,
)
from wiki.pages.closed import citing_closed
from wiki.pages.sources import hidden_page_ids, visible_text
from wiki.text.patch import sentences_named, without_sentences


def _open_pages(actor: Actor, rows: list[Row]) -> list[Row]:
    return _masked(actor, rows, key="id")


def _open_revisions(actor: Actor, rows: list[Row]) -> list[Row]:
    return _masked(actor, rows, key="page_id")


def _open_changes(actor: Actor, rows: list[Row]) -> list[Row]:
    """Take out what rests on closed sources already, and what would rest on them."""
    named = {UUID(chunk) for row in rows for chunks in row["sources"].values() for chunk in chunks}
    seen = visible(actor, "view", Chunk.objects.filter(pk__in=named))
    open_ids = {str(pk) for pk in seen.values_list("pk", flat=True)}
    cut: list[Row] = []
    for row in rows:
        closed = [key for key, chunks in row["sources"].items() if not open_ids.issuperset(chunks)]
        content = without_sentences(row["content"], sentences_named(row["content"], closed))
        cut.append({**row, "content": content, "summary": "" if closed else row["summary"]})
    return _masked(actor, cut, key="page_id")


def _open_issues(actor: Actor, rows: list[Row]) -> list[Row]:
    closed = hidden_page_ids(actor, list(_pages(row["page_id"] for row in rows).values()))
    return [row for row in rows if row["page_id"] not in closed]


def _masked(actor: Actor, rows: list[Row], *, key: str) -> list[Row]:
    """Leave the sentences out whose sources are closed to the person, and pages of nothing else."""
    pages = _pages(row[key] for row in rows)
    citing = citing_closed(actor, pages)
    gone = hidden_page_ids(actor, [pages[pk] for pk in citing])
    found: list[Row] = []
    for row in rows:
        if row[key] in gone:
            continue
        if row[key] in citing:
            page = pages[row[key]]
            texts = {
                name: visible_text(actor, page, row[name]).content
                for name in ("content", "summary")
            }
            row = {**row, **texts}
        found.append(row)
    return found


def _pages(ids: Any) -> dict[UUID, WikiPage]:
    rows = WikiPage.objects.filter(pk__in={pk for pk in ids if pk is not None})
    return {row.pk: row for row in rows}


for _model in (
    *(WikiSettings, WikiFolder, WikiRedirect, WikiLink, WikiSentence),
    *(WikiReview, WikiReviewer, WikiComment, WikiRefusal),
):
    export_table(Table(model=_model))
export_table(Table(model=WikiPage, as_seen=_open_pages))
export_table(Table(model=WikiRevision, as_seen=_open_revisions))
export_table(Table(model=WikiChange, as_seen=_open_changes))
export_table(Table(model=WikiIssue, as_seen=_open_issues))
export_table(Table(model=WikiDraft, own="author_id"))
export_table(Table(model=WikiNotice, own="user_id"))
export_table(Table(model=WikiWatch, own="user_id"))
leave_out(WikiLint, "how pages were checked here once")
leave_out(WikiMirror, "where a wiki is copied to from here, with the token for it")
leave_out(WikiBuild, "how pages were built here once")
leave_out(WikiOperation, "how pages were built here once")
leave_out(WikiReading, "read again out of the documents")
