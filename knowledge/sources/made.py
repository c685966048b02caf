"""Texts of other apps that are searched as documents: a page of the wiki hands itself in here.

Nobody is asked: who wrote the text was. It is read by whoever reads all that it was made of.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection
from functools import partial
from uuid import UUID

from django.db import transaction

from knowledge.access.fit import lock_base, set_basis
from knowledge.constants import DocumentSource, DocumentState
from knowledge.ingest.read import kept_text_key
from knowledge.models import Document, DocumentBasis, KnowledgeBase, RemovedDocument
from knowledge.names import clean_file_name
from knowledge.services.documents import read_again, start_reading
from knowledge.services.removal import release_file, remove_later
from knowledge.storage import PARSED_FOLDER, delete_json, store_file

Home = Callable[[Document], str | None]
_homes: dict[str, Home] = {}


def register_home(source: DocumentSource, find: Home) -> None:
    """Say where documents of this source are read: `find` returns an address, None where nowhere."""
    _homes[source] = find


def home_of(document: Document) -> str | None:
    """Return the address at which the document is read; None: on its own page."""
    find = _homes.get(document.source)
    return None if find is None else find(document)


def keep_made(
    base: KnowledgeBase,
    document: Document | None,
    *,
    name: str,
    text: str,
    made_of: Collection[UUID],
) -> Document | None:
    """Have a text searched in a base; returns its document, None where it must not be found.

    `document` is what an earlier version was searched under. `made_of` are the documents that the
    text says something of; until the text is indexed, those of the earlier one count, too. One that was restricted and is gone cannot say any more who may read it,
    and one of another base has other readers: such a text is not searched.
    """
    if not _can_be_judged(base, made_of):
        if document is not None:
            drop_made(document)
        return None
    stored = store_file(base.space_id, io.BytesIO(text.encode()))
    cleaned = clean_file_name(name.replace("/", " ")).name
    with transaction.atomic():
        lock_base(base.pk)
        row = _locked(document)
        if row is None:
            row = Document(space_id=base.space_id, base=base, source=DocumentSource.WIKI)
        old_text = kept_text_key(row) if row.content_hash else ""
        same = row.content_hash == stored.content_hash and row.name == cleaned
        before, is_new = row.content_hash, row._state.adding
        row.name, row.content_hash, row.size_bytes = cleaned, stored.content_hash, stored.size_bytes
        row.save()
        # The earlier text is found until the new one is: both must be behind their walls.
        before_of = [] if same else _basis(row)
        set_basis(row, {*made_of, *before_of})
        if is_new:
            start_reading(row)
        elif not same:
            read_again(row)
            if before != row.content_hash:
                release_file(row.space_id, before)
            transaction.on_commit(partial(delete_json, row.space_id, PARSED_FOLDER, old_text))
    return row


def drop_made(document: Document) -> None:
    """Take a text out of everybody's search."""
    with transaction.atomic():
        row = _locked(document)
        if row is not None:
            remove_later(row)


def _locked(document: Document | None) -> Document | None:
    """Return the row, locked; None when it is gone or going."""
    if document is None:
        return None
    rows = Document.objects.exclude(state=DocumentState.DELETING)
    return rows.select_for_update().filter(pk=document.pk).first()


def _basis(document: Document) -> list[UUID]:
    return list(DocumentBasis.objects.filter(document=document).values_list("source_id", flat=True))


def _can_be_judged(base: KnowledgeBase, made_of: Collection[UUID]) -> bool:
    if RemovedDocument.objects.filter(document_id__in=made_of, was_restricted=True).exists():
        return False
    return not Document.objects.filter(pk__in=made_of).exclude(base=base).exists()
