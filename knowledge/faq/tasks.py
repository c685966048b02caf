"""The jobs of questions and answers: ids in, one service each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from core.jobs.handlers import JobCancelled, JobContext, handles
from knowledge.constants import DocumentSource
from knowledge.faq.import_run import run_import
from knowledge.faq.importing import IMPORT_FOLDER, end_import
from knowledge.faq.indexing import index_entries
from knowledge.faq.jobs import EMPTY_ENTRIES, IMPORT_ENTRIES, INDEX_ENTRIES
from knowledge.faq.trash import empty_old_entries
from knowledge.models import Document, FaqEntry, FaqImport
from knowledge.services.removal import register_leftovers
from knowledge.storage import delete_file


def _indexing_failed(arguments: dict[str, Any], reason: str) -> None:
    FaqEntry.objects.filter(base_id=arguments["base_id"], indexed_at__isnull=True).update(
        index_error=reason
    )


@handles(INDEX_ENTRIES, on_failure=_indexing_failed)
def index(context: JobContext, *, base_id: str) -> None:
    """Make the changed entries of a base findable."""
    index_entries(context, base_id=UUID(base_id))


def _import_failed(arguments: dict[str, Any], reason: str) -> None:
    row = FaqImport.objects.filter(pk=arguments["import_id"], ended_at__isnull=True).first()
    if row is not None:
        end_import(row, reason=reason)


@handles(IMPORT_ENTRIES, on_failure=_import_failed)
def import_file(context: JobContext, *, import_id: str) -> None:
    """Import a file of entries."""
    try:
        run_import(context, import_id=UUID(import_id))
    except JobCancelled as stop:
        row = FaqImport.objects.filter(pk=import_id, ended_at__isnull=True).first()
        if row is not None and not context.cancelled:  # who began it may not any more
            end_import(row, reason=str(stop))
        raise


@register_leftovers
def files_of_imports(document: Document) -> Callable[[], None]:
    """Remove the files of imports that a removed base had not done."""
    space_id = document.space_id
    rows = FaqImport.objects.filter(base_id=document.base_id, ended_at__isnull=True)
    is_faq = document.source == DocumentSource.FAQ
    hashes = list(rows.values_list("content_hash", flat=True)) if is_faq else []

    def remove() -> None:
        for content_hash in hashes:
            transaction.on_commit(
                partial(delete_file, space_id, content_hash, folder=IMPORT_FOLDER)
            )

    return remove


@handles(EMPTY_ENTRIES)
def empty(_: JobContext) -> None:
    """End what was deleted long enough ago."""
    empty_old_entries()
