"""Reads of bases, documents and passages, as far as the actor may see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from knowledge.constants import OPEN_STATES, UNLISTED_SOURCES, ChunkKind, DocumentState
from knowledge.models import Chunk, Document, DocumentTag, FaqEntry, KnowledgeBase, Stage


def list_bases(actor: Actor) -> QuerySet[KnowledgeBase]:
    """Return the bases the actor sees, by name, with what they hold counted.

    `document_total`, `open_total` and `bad_total` count the documents that the actor sees,
    `entry_total` the questions and answers.
    """
    bad = (DocumentState.FAILED, DocumentState.REFUSED, DocumentState.NEEDS_INPUT)
    listed = Document.objects.filter(base=OuterRef("pk")).exclude(source__in=UNLISTED_SOURCES)
    seen = visible(actor, "view", listed)
    entries = FaqEntry.objects.filter(base=OuterRef("pk"), trashed_at__isnull=True)
    counted = KnowledgeBase.objects.annotate(
        entry_total=_number_of(visible(actor, "view", entries)),
        document_total=_number_of(seen),
        open_total=_number_of(seen.filter(state__in=OPEN_STATES)),
        bad_total=_number_of(seen.filter(state__in=bad)),
    )
    return visible(actor, "view", counted).select_related("embedding_model", "created_by")


def _number_of(rows: QuerySet[Document] | QuerySet[FaqEntry]) -> Coalesce:
    """Count the rows of the outer query's base."""
    counted = rows.order_by().values("base").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def get_base(actor: Actor, base_id: UUID) -> KnowledgeBase:
    """Return one base.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    base = visible(actor, "view", KnowledgeBase.objects.filter(pk=base_id)).first()
    if base is None:
        raise NotFound(_("There is no such knowledge base."))
    return base


def find_base(actor: Actor, name: str) -> KnowledgeBase:
    """Return the base with this name, whatever its case.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    base = visible(actor, "view", KnowledgeBase.objects.filter(name__iexact=name)).first()
    if base is None:
        raise NotFound(f"There is no knowledge base named {name!r}.")
    return base


def list_documents(
    actor: Actor, base_id: UUID, *, search: str = "", state: str = ""
) -> QuerySet[Document]:
    """Return a base's documents, newest first, with the stages of their present attempt.

    `search` is a part of the name, `state` one of `DocumentState`; blank means any. The row under
    which a base's questions and answers stand is none that people know of.
    """
    listed = Document.objects.filter(base_id=base_id).exclude(source__in=UNLISTED_SOURCES)
    found = visible(actor, "view", listed)
    if search:
        found = found.filter(Q(name__icontains=search) | Q(folder_path__icontains=search))
    if state in DocumentState.values:
        found = found.filter(state=state)
    return found.select_related("uploaded_by", "owner").prefetch_related(
        Prefetch("stages", queryset=Stage.objects.order_by("attempt", "pk")),
        Prefetch("tag_rows", queryset=DocumentTag.objects.select_related("tag")),
    )


def get_document(actor: Actor, document_id: UUID) -> Document:
    """Return one document with its base.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = Document.objects.filter(pk=document_id).select_related("base")
    document = visible(actor, "view", rows).first()
    if document is None:
        raise NotFound(_("There is no such document."))
    return document


def get_documents(actor: Actor, document_ids: Sequence[UUID]) -> list[Document]:
    """Return those of the documents that the actor sees, in the order of the ids."""
    rows = visible(
        actor, "view", Document.objects.filter(pk__in=document_ids).select_related("base")
    )
    by_id = {row.pk: row for row in rows}
    return [by_id[each] for each in document_ids if each in by_id]


def list_chunks(actor: Actor, document_id: UUID) -> QuerySet[Chunk]:
    """Return a document's passages in reading order, without what was made of them."""
    read = (ChunkKind.TEXT, ChunkKind.FAQ)
    rows = Chunk.objects.filter(document_id=document_id, kind__in=read).order_by("position")
    return visible(actor, "view", rows)


def get_chunk(actor: Actor, chunk_id: UUID) -> Chunk:
    """Return one passage with its document.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = Chunk.objects.filter(pk=chunk_id).select_related("document", "base")
    chunk = visible(actor, "view", rows).first()
    if chunk is None:
        raise NotFound(_("There is no such passage."))
    return chunk


def get_chunks(actor: Actor, chunk_ids: Sequence[UUID]) -> list[Chunk]:
    """Return those of the passages that the actor sees, with their documents, in no order."""
    rows = Chunk.objects.filter(pk__in=chunk_ids).select_related("document")
    return list(visible(actor, "view", rows))


@dataclass(frozen=True, kw_only=True)
class BaseCounts:
    """What a base holds."""

    documents: int
    passages: int


def base_counts(actor: Actor, base_id: UUID) -> BaseCounts:
    """Count what the actor sees of a base."""
    listed = Document.objects.filter(base_id=base_id).exclude(source__in=UNLISTED_SOURCES)
    rows = visible(actor, "view", listed)
    counted = rows.aggregate(documents=Count("pk"), passages=Sum("chunk_count"))
    return BaseCounts(documents=counted["documents"], passages=counted["passages"] or 0)
