"""Keeps the walls right: for a new document, a moved one, a restriction that is set.

Whoever makes, moves or renames documents calls `raise_walls` inside of the same transaction and with
the base's row locked, so that no moment exists in which a document stands open. Setting a
restriction takes the same lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q, QuerySet

from knowledge.models import (
    Document,
    DocumentBasis,
    DocumentWall,
    KnowledgeBase,
    RemovedDocument,
    Restriction,
)

_BATCH = 1_000
_DEPTH = 4
"""Files in files: more than `knowledge.services.members.MAX_DEPTH` allows."""


def lock_base(base_id: UUID) -> None:
    """Take the lock under which documents are added and restrictions set."""
    KnowledgeBase.objects.select_for_update().get(pk=base_id)


def raise_walls(documents: Sequence[Document]) -> None:
    """Give documents of one base, and what was made of them, exactly the walls that hold for them.

    Names and folders ask for walls; what was made of documents has those of all of them.
    """
    if not documents:
        return
    documents = [*documents, *made_of(document.pk for document in documents)]
    sources = _sources_of(documents)
    wanted = {
        (document.pk, restriction.pk)
        for restriction in Restriction.objects.filter(base_id=documents[0].base_id)
        for document in documents
        if any(holds_for(restriction, each) for each in (document, *sources[document.pk]))
    }
    rows = DocumentWall.objects.filter(document__in=documents)
    held = {(row.document_id, row.restriction_id): row.pk for row in rows}
    DocumentWall.objects.filter(
        pk__in=[pk for pair, pk in held.items() if pair not in wanted]
    ).delete()
    _build(wanted - held.keys(), space_id=documents[0].space_id)


def raise_walls_of(restriction: Restriction) -> int:
    """Put a new restriction's walls up; returns for how many documents it holds."""
    ids = set(documents_behind(restriction).values_list("pk", flat=True))
    ids |= {document.pk for document in made_of(ids)}
    pairs = [(document_id, restriction.pk) for document_id in ids]
    _build(pairs, space_id=restriction.space_id)
    return len(pairs)


def made_of(document_ids: Iterable[UUID]) -> list[Document]:
    """Return the documents that were made of these."""
    rows = DocumentBasis.objects.filter(source_id__in=list(document_ids))
    return list(Document.objects.filter(pk__in=rows.values("document_id")))


def set_basis(document: Document, source_ids: Iterable[UUID]) -> None:
    """Write down what a document is made of, and give it the walls of that.

    Called in a transaction that has the lock of the base.
    """
    wanted = set(source_ids)
    rows = DocumentBasis.objects.filter(document=document)
    rows.exclude(source_id__in=wanted).delete()
    DocumentBasis.objects.bulk_create(
        [
            DocumentBasis(space_id=document.space_id, document=document, source_id=each)
            for each in wanted
        ],
        ignore_conflicts=True,
    )
    raise_walls([document])


def leave_trace(document: Document) -> None:
    """Write down that a document goes; called in the transaction that removes it."""
    RemovedDocument.objects.get_or_create(
        document_id=document.pk,
        defaults={
            "space_id": document.space_id,
            "base_id": document.base_id,
            "was_restricted": DocumentWall.objects.filter(document=document).exists(),
            "base_creator_id": KnowledgeBase.objects.values_list("created_by_id", flat=True).get(
                pk=document.base_id
            ),
        },
    )


def holds_for(restriction: Restriction, document: Document) -> bool:
    """Whether the restriction is about the document, what it came in, or a folder above it."""
    if restriction.document_id is not None:
        return restriction.document_id in _with_what_it_came_in(document)
    return restriction.folder_path in folders_above(document.folder_path)


def documents_behind(restriction: Restriction) -> QuerySet[Document]:
    """Return the documents that the restriction is about, and what came in them."""
    rows = Document.objects.filter(base_id=restriction.base_id)
    if restriction.document_id is not None:
        above = ("pk", *("__".join(["parent"] * depth) for depth in range(1, _DEPTH + 1)))
        return rows.filter(reduce(or_, (Q(**{path: restriction.document_id}) for path in above)))
    if not restriction.folder_path:
        return rows
    return documents_below(restriction.base_id, restriction.folder_path)


def documents_below(base_id: UUID, path: str) -> QuerySet[Document]:
    """Return the documents of a folder and of all folders in it; a folder is where documents lie."""
    rows = Document.objects.filter(base_id=base_id)
    return rows.filter(Q(folder_path=path) | Q(folder_path__startswith=f"{path}/"))


def _with_what_it_came_in(document: Document) -> list[UUID]:
    """Return the document and the archives or mails around it."""
    found = [document.pk]
    around: Document | None = document.parent
    while around is not None and len(found) <= _DEPTH:
        found.append(around.pk)
        around = around.parent
    return found


def folders_above(path: str) -> list[str]:
    """Return a folder and all above it, outermost first; the first is the base's root, ""."""
    parts = path.split("/") if path else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _sources_of(documents: Sequence[Document]) -> dict[UUID, list[Document]]:
    """Return what each of the documents is made of, as far as that is still there."""
    rows = DocumentBasis.objects.filter(document__in=documents)
    pairs = list(rows.values_list("document_id", "source_id"))
    found = Document.objects.in_bulk([source_id for _document_id, source_id in pairs])
    sources: dict[UUID, list[Document]] = {document.pk: [] for document in documents}
    for document_id, source_id in pairs:
        if source_id in found:
            sources[document_id].append(found[source_id])
    return sources


def _build(pairs: Iterable[tuple[UUID, UUID]], *, space_id: int) -> None:
    DocumentWall.objects.bulk_create(
        [
            DocumentWall(space_id=space_id, document_id=document_id, restriction_id=restriction_id)
            for document_id, restriction_id in pairs
        ],
        batch_size=_BATCH,
        ignore_conflicts=True,
    )
