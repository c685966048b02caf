"""Texts of pictures as rows below the passages where the pictures stand: a hit leads to the passage."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from knowledge.constants import ChunkKind
from knowledge.enrich.made import MODEL, PERSON
from knowledge.ingest.index import index_some, unindex_chunks
from knowledge.models import Chunk, Document, DocumentPicture
from knowledge.text.pictures import picture_id, references_of

KINDS = (ChunkKind.PICTURE_TEXT, ChunkKind.PICTURE_CAPTION)
MOST_PASSAGES = 3
"""Of one picture that have its texts below them."""
_Key = tuple[str, UUID | None, UUID | None]
"""Kind, picture and passage."""


def passages_with_pictures(document: Document) -> dict[UUID, list[Chunk]]:
    """Return by the ids of pictures the first passages that show them, in their order."""
    rows = Chunk.objects.filter(
        document=document, kind=ChunkKind.TEXT, text__contains="](picture:"
    ).order_by("position")
    found: dict[UUID, list[Chunk]] = {}
    for passage in rows:
        for pk in shown_in(passage):
            passages = found.setdefault(pk, [])
            if len(passages) < MOST_PASSAGES:
                passages.append(passage)
    return found


def shown_in(passage: Chunk) -> list[UUID]:
    """Return the ids of the pictures that a passage shows."""
    return [picture_id(passage.document_id, each.key) for each in references_of(passage.text)]


def place_texts(
    document: Document,
    *,
    check: Callable[[], None] = lambda: None,
    picture_ids: Collection[UUID] | None = None,
) -> int:
    """Have what pictures say and show stand below their passages, found by its words at once.

    Vectors are made by `embed_made`, outside of a transaction. What stands already stays.

    Args:
        document: whose pictures.
        check: raises to stop; called once the document is locked.
        picture_ids: only these pictures; None: all.

    Returns:
        How many texts were written or changed.
    """
    with transaction.atomic():
        check()
        # Positions are given under this lock.
        Document.objects.select_for_update().get(pk=document.pk)
        pictures = DocumentPicture.objects.filter(document=document)
        old = Chunk.objects.filter(document=document, kind__in=KINDS)
        if picture_ids is not None:
            pictures = pictures.filter(pk__in=picture_ids)
            old = old.filter(picture_id__in=picture_ids)
        wanted = dict(_wanted(list(pictures), passages_with_pictures(document)))
        gone = [row.pk for row in old if _content(row.text) != _content(wanted.get(_key(row)))]
        unindex_chunks(document, chunk_ids=gone)
        Chunk.objects.filter(pk__in=gone).delete()
        kept = {_key(row): row for row in old.all()}
        _switch_on([row for row in kept.values() if not row.is_enabled])
        new = _new_rows(document, {key: text for key, text in wanted.items() if key not in kept})
        index_some(document, chunk_ids=[row.pk for row in new])
    return len(new)


def _wanted(
    pictures: Sequence[DocumentPicture], passages: Mapping[UUID, Sequence[Chunk]]
) -> Iterator[tuple[_Key, str]]:
    for picture in pictures:
        for passage in passages.get(picture.pk, ()):
            for kind, text in zip(KINDS, (picture.ocr_text, picture.caption), strict=True):
                if text.strip():
                    yield (kind, picture.pk, passage.pk), text.strip()


def _key(row: Chunk) -> _Key:
    return (row.kind, row.picture_id, row.parent_id)


def _switch_on(rows: Sequence[Chunk]) -> None:
    Chunk.objects.filter(pk__in=[row.pk for row in rows]).update(is_enabled=True)


def _new_rows(document: Document, wanted: Mapping[_Key, str]) -> list[Chunk]:
    """Write the rows that are not there yet."""
    passages = Chunk.objects.in_bulk({passage_id for _, _, passage_id in wanted if passage_id})
    pictures = DocumentPicture.objects.in_bulk({pk for _, pk, _ in wanted if pk})
    last = {
        row["kind"]: row["last"]
        for row in Chunk.objects.filter(document=document, kind__in=KINDS)
        .order_by()
        .values("kind")
        .annotate(last=Max("position"))
    }
    rows = []
    for (kind, pk, passage_id), text in wanted.items():
        if pk in pictures and passage_id in passages:
            last[kind] = last.get(kind, -1) + 1
            rows.append(_row(kind, text, pictures[pk], passages[passage_id], position=last[kind]))
    return Chunk.objects.bulk_create(rows, batch_size=500)


def _row(kind: str, text: str, picture: DocumentPicture, passage: Chunk, *, position: int) -> Chunk:
    is_edited = kind == ChunkKind.PICTURE_CAPTION and picture.caption_is_edited
    return Chunk(
        space_id=passage.space_id,
        base_id=passage.base_id,
        document_id=passage.document_id,
        document_revision=passage.document_revision,
        kind=kind,
        position=position,
        text=text,
        content_hash=_content(text),
        heading_path=passage.heading_path,
        page_from=picture.page or passage.page_from,
        page_to=picture.page or passage.page_to,
        box=picture.box,
        char_start=passage.char_start,
        char_end=passage.char_end,
        parent=passage,
        picture=picture,
        detail={"origin": PERSON if is_edited else MODEL, "source_hash": picture.content_hash},
    )


def _content(text: str | None) -> str:
    return hashlib.sha256((text or "").strip().encode()).hexdigest()
