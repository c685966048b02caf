"""What the pages of passages show: cards beside the page they stand on, and who changed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from accounts.access import Actor, visible
from knowledge.constants import ChunkKind, CorrectionState
from knowledge.corrections.questions import Question, questions_of
from knowledge.corrections.rows import READ
from knowledge.ingest.page_pictures import has_pictures
from knowledge.models import Chunk, Correction, Document, Embedding, EvidenceRow
from knowledge.pages.labels import page_label
from knowledge.pictures.shown import passages_html

CARDS_A_PAGE = 30
_SCALE = 1000
"""Regions are drawn on a square of so many units, stretched over the page."""
SHOWN_KINDS = (
    ChunkKind.TEXT,
    ChunkKind.PARENT,
    ChunkKind.PICTURE_TEXT,
    ChunkKind.PICTURE_CAPTION,
    ChunkKind.SUMMARY,
    ChunkKind.QUESTION,
    ChunkKind.TABLE_SUMMARY,
    ChunkKind.TABLE_COLUMN,
)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which passages are listed."""

    page: int | None = None
    """Of the document."""
    chunk_id: UUID | None = None
    kind: ChunkKind = ChunkKind.TEXT
    search: str = ""
    place: str = ""
    """Page of the list."""

    @property
    def narrows(self) -> bool:
        """Whether it looks through the whole document."""
        return bool(self.search) or self.kind != ChunkKind.TEXT


def wanted_in(query: Mapping[str, str]) -> Wanted:
    """Read what a page's address asks for; what makes no sense is left out."""
    page, kind = query.get("page", ""), query.get("kind", "")
    try:
        chunk_id = UUID(query.get("chunk", ""))
    except ValueError:
        chunk_id = None
    return Wanted(
        page=int(page) if page.isdecimal() and len(page) < 7 else None,
        chunk_id=chunk_id,
        kind=ChunkKind(kind) if kind in SHOWN_KINDS else ChunkKind.TEXT,
        search=query.get("q", "").strip()[:200],
        place=query.get("at", ""),
    )


def viewer_context(actor: Actor, document: Document, wanted: Wanted) -> dict[str, Any]:
    """Return what `chunks.html` takes beside the head of the document."""
    target = _target(actor, document, wanted)
    drawn = has_pictures(document)
    number = _page_number(document, wanted, target) if drawn else None
    rows = _listed(actor, document, wanted, None if wanted.narrows else number)
    page = Paginator(rows, CARDS_A_PAGE).get_page(wanted.place or _place_of(rows, target))
    cards = cards_of(document, list(page.object_list), target=target)
    return {
        "cards": cards,
        "page_obj": page,
        "wanted": wanted,
        "kinds": _kinds(actor, document),
        "target_missing": wanted.chunk_id is not None and target is None,
        "picture": _picture(document, number, cards) if number else None,
        "is_processing": False,
    }


def cards_of(
    document: Document, chunks: Sequence[Chunk], *, target: Chunk | None = None
) -> list[dict[str, Any]]:
    """Return passages as `_chunk.html` takes them; the caller may see them all."""
    uses = _uses(chunks)
    edits = _edits(chunks)
    questions = questions_of(chunks)
    found = _with_vector(document, chunks)
    html = passages_html((document.pk, chunk.text) for chunk in chunks)
    return [
        {
            "id": str(chunk.pk),
            "number": chunk.position + 1,
            "kind": ChunkKind(chunk.kind).label if chunk.kind != ChunkKind.TEXT else "",
            "is_passage": chunk.kind == ChunkKind.TEXT,
            "location": page_label(chunk.page_from, chunk.page_to),
            "page": chunk.page_from,
            "heading": " › ".join(chunk.heading_path),
            "characters": len(chunk.text),
            "uses": uses.get(chunk.pk, 0),
            "html": text,
            "version": chunk.version,
            "is_enabled": chunk.is_enabled,
            "is_edited": READ in chunk.detail,
            "edit": edits.get(chunk.pk),
            "is_indexing": chunk.kind != ChunkKind.PARENT and chunk.pk not in found,
            "questions": questions.get(chunk.pk, []),
            "box": _box(chunk),
            "is_target": target is not None and chunk.pk == target.pk,
        }
        for chunk, text in zip(chunks, html, strict=True)
    ]


def question_rows(chunk: Chunk) -> list[Question]:
    """Return the questions of one passage."""
    return questions_of([chunk]).get(chunk.pk, [])


def _listed(
    actor: Actor, document: Document, wanted: Wanted, number: int | None
) -> QuerySet[Chunk]:
    rows = Chunk.objects.filter(document=document, kind=wanted.kind).order_by("position")
    if wanted.search:
        rows = rows.filter(text__icontains=wanted.search)
    if number is not None:
        rows = rows.filter(Q(page_from__lte=number, page_to__gte=number))
    return visible(actor, "view", rows)


def _target(actor: Actor, document: Document, wanted: Wanted) -> Chunk | None:
    if wanted.chunk_id is None:
        return None
    rows = Chunk.objects.filter(pk=wanted.chunk_id, document=document)
    return visible(actor, "view", rows).first()


def _page_number(document: Document, wanted: Wanted, target: Chunk | None) -> int:
    last = document.page_count or 1
    if wanted.page is None and target is not None and target.page_from:
        return min(target.page_from, last)
    return min(max(wanted.page or 1, 1), last)


def _place_of(rows: QuerySet[Chunk], target: Chunk | None) -> int:
    if target is None:
        return 1
    return rows.filter(position__lt=target.position).count() // CARDS_A_PAGE + 1


def _picture(document: Document, number: int, cards: Sequence[dict[str, Any]]) -> dict[str, Any]:
    last = document.page_count or 1
    return {
        "url": reverse("document_page", args=[document.pk, number])
        + f"?v={document.content_hash[:12]}",
        "number": number,
        "last": last,
        "before": number - 1 if number > 1 else None,
        "after": number + 1 if number < last else None,
        "regions": [card for card in cards if card["box"] and card["page"] == number],
    }


def _box(chunk: Chunk) -> dict[str, int] | None:
    """Return where the passage stands on its page, in thousandths."""
    if not chunk.box:
        return None
    left, top, right, bottom = (
        round(_SCALE * min(max(float(chunk.box[side]), 0.0), 1.0))
        for side in ("left", "top", "right", "bottom")
    )
    return {"x": left, "y": top, "width": max(right - left, 1), "height": max(bottom - top, 1)}


def _kinds(actor: Actor, document: Document) -> list[dict[str, Any]]:
    rows = Chunk.objects.filter(document=document, kind__in=SHOWN_KINDS)
    counted = dict(
        visible(actor, "view", rows).order_by().values_list("kind").annotate(total=Count("pk"))
    )
    return [
        {"value": kind.value, "label": kind.label, "total": counted[kind]}
        for kind in SHOWN_KINDS
        if kind in counted
    ]


def _uses(chunks: Sequence[Chunk]) -> dict[UUID, int]:
    """Count the answers of the space that quote each passage."""
    rows = EvidenceRow.objects.filter(chunk_id__in=[chunk.pk for chunk in chunks])
    return dict(rows.order_by().values_list("chunk_id").annotate(total=Count("pk")))


def _edits(chunks: Sequence[Chunk]) -> dict[UUID, Correction]:
    rows = Correction.objects.filter(
        chunk_id__in=[chunk.pk for chunk in chunks], state=CorrectionState.APPLIED
    )
    return {row.chunk_id: row for row in rows.select_related("updated_by") if row.chunk_id}


def _with_vector(document: Document, chunks: Sequence[Chunk]) -> set[UUID]:
    identity = document.base.embedding_identity
    rows = Embedding.objects.filter(chunk_id__in=[chunk.pk for chunk in chunks])
    if identity:
        rows = rows.filter(identity=identity)
    return set(rows.values_list("chunk_id", flat=True))
