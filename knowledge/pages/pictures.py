"""Contexts of a document's pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.urls import reverse

from accounts.access import Actor, may
from knowledge.constants import OPEN_STATES, EnrichmentState, StageName, StageState
from knowledge.models import Chunk, Document, DocumentPicture, Stage
from knowledge.pages.documents import document_head
from knowledge.pages.labels import page_label
from knowledge.pictures.passages import KINDS
from knowledge.pictures.reading import LONGEST_CAPTION
from knowledge.stored_reasons import told

PICTURES_A_PAGE = 24


@dataclass(frozen=True, kw_only=True)
class PictureCard:
    """What `_picture_card.html` shows."""

    id: UUID
    url: str
    describe_url: str
    words: str
    """What stands for it where it is not seen."""
    width: int
    height: int
    location: str
    passage_url: str
    """Where it stands; blank when no passage shows it."""
    text: str
    """What is written in it."""
    caption: str
    is_edited: bool
    longest: int
    may_change: bool


def picture_card(
    row: DocumentPicture, *, may_change: bool, passage_id: UUID | None = None
) -> PictureCard:
    """Return the card of a picture."""
    address = f"{reverse('document', args=[row.document_id])}?chunk={passage_id}#chunk-{passage_id}"
    return PictureCard(
        id=row.pk,
        url=reverse("picture", args=[row.pk]),
        describe_url=reverse("picture_describe", args=[row.pk]),
        words=row.caption or row.alternative_text,
        width=row.width,
        height=row.height,
        location=page_label(row.page, row.page),
        passage_url=address if passage_id else "",
        text=row.ocr_text,
        caption=row.caption,
        is_edited=row.caption_is_edited,
        longest=LONGEST_CAPTION,
        may_change=may_change,
    )


def pictures_context(actor: Actor, document: Document, *, page: str) -> dict[str, Any]:
    """Return what `document_pictures.html` takes."""
    rows = DocumentPicture.objects.filter(document=document).order_by("page", "pk")
    shown = Paginator(rows, PICTURES_A_PAGE).get_page(page)
    may_change = may(actor, "change", document)
    places = _places(document)
    is_open = document.state in OPEN_STATES
    return {
        **document_head(actor, document, tab="pictures"),
        "pictures": [
            picture_card(row, may_change=may_change, passage_id=places.get(row.pk))
            for row in shown.object_list
        ],
        "page_obj": shown,
        "is_busy": is_open,
        "is_read": not is_open and document.enrichment != EnrichmentState.RUNNING,
        "note": _note(document),
    }


def _places(document: Document) -> dict[UUID | None, UUID | None]:
    """Return the passage below which the texts of each picture stand."""
    rows = Chunk.objects.filter(document=document, kind__in=KINDS).order_by("-position")
    return dict(rows.values_list("picture_id", "parent_id"))


def _note(document: Document) -> str:
    """Return why pictures are not described or read, in words; blank when nothing is amiss."""
    stage = Stage.objects.filter(
        document=document, attempt=document.attempt, name=StageName.PICTURES
    ).first()
    if stage is None:
        return ""
    if stage.state == StageState.FAILED:
        return told(stage.error)
    return told(str(stage.detail.get("undescribed", "")))
