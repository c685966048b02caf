"""Carries an import out, a hundred rows a transaction: a killed one goes on behind the last of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.actors import actor_of
from accounts.services.audit import record_audit
from core.errors import AccessDenied, Invalid, NotFound, Refused
from core.jobs.handlers import JobCancelled, JobContext
from knowledge.access.fit import lock_base
from knowledge.constants import ImportMode
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.exporting import cells_of
from knowledge.faq.import_plan import Known, Outcome, plan_row
from knowledge.faq.import_rows import ImportRow, read_import
from knowledge.faq.importing import IMPORT_FOLDER, end_import
from knowledge.faq.writing import index_soon, trash_entries, write_entry
from knowledge.models import FaqEntry, FaqImport, KnowledgeBase, Tag
from knowledge.storage import open_file

ROWS_AT_ONCE = 100
MOST_PROBLEMS = 2_000
"""Kept with their rows; of more only the number is known."""
MOST_TAGS = 500
COUNTERS = ("success", "failed", "partial_failed", "skipped", "merged", "added")
REPLACED = "replaced"
"""Counter of a replacing import: how many entries it deleted before."""


def run_import(context: JobContext, *, import_id: UUID) -> None:
    """Import a file, or say what importing it would do.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
    """
    row = FaqImport.objects.filter(pk=import_id, ended_at__isnull=True).first()
    if row is None:
        return
    try:
        with open_file(row.space_id, row.content_hash, folder=IMPORT_FOLDER) as file:
            rows = read_import(file.read(), row.file_name)
        if row.mode == ImportMode.REPLACE:
            _refuse_without_rows(rows)
    except (Refused, FileNotFoundError) as refusal:
        gone = _("The file is gone; choose it again.")
        end_import(row, reason=getattr(refusal, "message", gone))
        return
    FaqImport.objects.filter(pk=row.pk).update(total=len(rows))
    if row.is_dry_run:
        _rehearse(context, row, rows)
    else:
        _carry_out(context, row.pk, rows)
    _finish(context, import_id)


def _rehearse(context: JobContext, row: FaqImport, rows: Sequence[ImportRow]) -> None:
    """Decide on all rows from the first on and write down only the result."""
    known = Known(row.base_id, reads_database=row.mode == ImportMode.APPEND)
    row.counts, row.problems, row.done = {}, [], 0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        context.check()
        for each in rows[start : start + ROWS_AT_ONCE]:
            outcome = plan_row(each, known)
            known.remember(outcome)
            _count(row, each, outcome)
        row.done = min(start + ROWS_AT_ONCE, len(rows))
        row.save(update_fields=["counts", "problems", "done"])


def _carry_out(context: JobContext, import_id: UUID, rows: Sequence[ImportRow]) -> None:
    while _one_batch(context, import_id, rows):
        pass


def _one_batch(context: JobContext, import_id: UUID, rows: Sequence[ImportRow]) -> bool:
    """Import the next rows; what they did and that they are done is one transaction."""
    with transaction.atomic():
        context.check_lease()
        row = FaqImport.objects.select_related("base", "created_by").get(pk=import_id)
        lock_base(row.base_id)
        # Read again behind the lock: who stops an import has it, too.
        row.refresh_from_db(fields=["done", "counts", "problems", "ended_at"])
        if row.ended_at is not None:
            raise JobCancelled(_("The import was stopped."))
        if row.done >= len(rows):
            return False
        _ask_again(row)
        if row.mode == ImportMode.REPLACE and REPLACED not in row.counts:
            row.counts[REPLACED] = trash_entries(row.base_id, None, at=row.created_at)
        known = Known(row.base_id)
        tags = {tag.name.casefold(): tag for tag in Tag.objects.filter(base_id=row.base_id)}
        for each in rows[row.done : row.done + ROWS_AT_ONCE]:
            outcome = _applied(row, plan_row(each, known), tags)
            _count(row, each, outcome)
        row.done = min(row.done + ROWS_AT_ONCE, len(rows))
        row.save(update_fields=["counts", "problems", "done"])
        index_soon(row.base)
        return row.done < len(rows)


def _applied(row: FaqImport, outcome: Outcome, tags: dict[str, Tag]) -> Outcome:
    """Write what a row does."""
    if outcome.kind not in ("added", "merged"):
        return outcome
    try:
        tag = _tag(row.base, outcome.draft.tag, tags)
    except Invalid as refusal:
        return Outcome(
            kind="failed", draft=outcome.draft, code="invalid", reasons=(refusal.message,)
        )
    if outcome.kind == "merged":
        entry = FaqEntry.objects.get(base_id=row.base_id, number=outcome.number)
    else:
        entry = _revived(row, outcome.draft) or FaqEntry(space_id=row.space_id, base=row.base)
    write_entry(entry, outcome.draft, user_id=row.created_by_id, tag=tag)
    return outcome


def _revived(row: FaqImport, draft: EntryDraft) -> FaqEntry | None:
    """Return the entry of this question that the import itself deleted: it keeps its number."""
    if row.mode != ImportMode.REPLACE:
        return None
    entry = FaqEntry.objects.filter(
        base_id=row.base_id,
        trashed_at=row.created_at,
        standard_question=draft.standard_question,
    ).first()
    if entry is not None:
        entry.trashed_at = None
        entry.content_hash = ""  # its question rows were taken away and must be written again
    return entry


def _tag(base: KnowledgeBase, name: str, tags: dict[str, Tag]) -> Tag | None:
    """Return the tag of this name; a new one is made."""
    if not name:
        return None
    found = tags.get(name.casefold())
    if found is None:
        if len(tags) >= MOST_TAGS:
            raise Invalid(
                _("The knowledge base has %(most)s tags and can have no more: “%(name)s” is new.")
                % {"most": MOST_TAGS, "name": name}
            )
        found = Tag.objects.create(space_id=base.space_id, base=base, name=name, position=len(tags))
        tags[name.casefold()] = found
    return found


def _count(row: FaqImport, imported: ImportRow, outcome: Outcome) -> None:
    """Add an outcome to the import's figures and problems."""
    counts = {name: row.counts.get(name, 0) for name in COUNTERS}
    if outcome.kind in ("failed", "skipped"):
        counts[outcome.kind] += 1
    else:
        counts[outcome.kind] += 1
        counts["partial_failed" if outcome.is_partial else "success"] += 1
    row.counts = {**row.counts, **counts}
    if outcome.reasons and outcome.kind != "skipped" and len(row.problems) < MOST_PROBLEMS:
        row.problems.append(_problem(imported, outcome))


def _problem(imported: ImportRow, outcome: Outcome) -> dict[str, Any]:
    return {
        "row": imported.number,
        "question": imported.draft.standard_question[:200],
        "kind": "failed" if outcome.kind == "failed" else "partial",
        "code": outcome.code,
        "reasons": list(outcome.reasons),
        "cells": cells_of(imported.draft),
    }


def _refuse_without_rows(rows: Sequence[ImportRow]) -> None:
    """Let a file of which nothing can be used replace nothing.

    Raises:
        Refused: it is such a file.
    """
    known = Known(UUID(int=0), reads_database=False)
    if all(plan_row(row, known).kind == "failed" for row in rows):
        raise Refused(_("No entry of this file can be used, so nothing was replaced."))


def _ask_again(row: FaqImport) -> None:
    """Return when the person who imports may still edit the base.

    Raises:
        JobCancelled: they may not any more.
    """
    if row.created_by is None:  # a key: it was asked when it began
        return
    try:
        require(actor_of(row.created_by, space_id=row.space_id), "edit", row.base)
    except (NotFound, AccessDenied) as refusal:
        raise JobCancelled(
            _("The person who started the import can no longer edit the knowledge base.")
        ) from refusal


def _importer(row: FaqImport) -> Actor | None:
    """Return who began the import, while they are a member of the space."""
    if row.created_by is None:
        return None
    try:
        return actor_of(row.created_by, space_id=row.space_id)
    except NotFound:
        return None


def _finish(context: JobContext, import_id: UUID) -> None:
    with transaction.atomic():
        context.check_lease()
        row = FaqImport.objects.select_for_update().get(pk=import_id)
        if row.ended_at is not None:
            return
        end_import(row)
        actor = _importer(row)
        if actor is not None:
            record_audit(
                actor,
                "faq.import",
                target=row.base,
                base_id=row.base_id,
                mode=row.mode,
                dry_run=row.is_dry_run,
                **row.counts,
            )
