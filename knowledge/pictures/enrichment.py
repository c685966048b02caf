"""The enrichment that reads pictures, once their document is found: keep, read, describe, place.

A job takes `PICTURES_A_JOB` pictures and enqueues the next one, so that spaces take turns and
nothing that is read for the first time waits long for OCR.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from core.errors import ProjectError
from core.jobs.handlers import JobCancelled
from knowledge.base_settings import BaseSettings
from knowledge.constants import ChunkKind, StageName
from knowledge.enrich.jobs import READ_PICTURES
from knowledge.enrich.made import embed_made
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.enrich.registry import Enriching, Enrichment
from knowledge.ingest.parse import ParseCancelled
from knowledge.ingest.read import kept_text
from knowledge.models import Chunk, Document, DocumentPicture
from knowledge.parsers.contract import ParseRefused
from knowledge.pictures.keeping import keep_pictures, pictures_in_text
from knowledge.pictures.passages import passages_with_pictures, place_texts
from knowledge.pictures.reading import (
    caption_of_picture,
    text_of_picture,
    why_not_described,
)
from knowledge.text.pictures import picture_id
from providers.contracts.errors import ModelError

PICTURES_A_JOB = 10


def read_pictures(enriching: Enriching) -> None:
    """Keep the document's pictures, then read and describe the next of them."""
    begin = int(enriching.cursor.get("begin", 0))
    parsed = kept_text(enriching.document)
    report = enriching.report
    if parsed is None:
        report.skipped(_("Its text is not kept here any more; read the document again."))
        return
    try:
        if begin == 0:
            report.note(pictures=keep_pictures(enriching.document, parsed, enriching.context))
        order = [picture_id(enriching.document.pk, each.key) for each in pictures_in_text(parsed)]
        _read_next(enriching, order, begin)
    except ParseCancelled as stop:
        raise JobCancelled(str(stop)) from stop
    except ParseRefused as refusal:
        report.failed(refusal.code, refusal.reason)


def _read_next(enriching: Enriching, order: Sequence[UUID], begin: int) -> None:
    document, report = enriching.document, enriching.report
    rows = DocumentPicture.objects.in_bulk(order[begin : begin + PICTURES_A_JOB])
    places = passages_with_pictures(document)
    for row in rows.values():
        _read_words(enriching, row)
        _describe(enriching, row, places.get(row.pk, ()))
        enriching.context.check()
    end = min(begin + PICTURES_A_JOB, len(order))
    if place_texts(document, check=enriching.context.check_lease):
        embed_made(enriching)
    report.progress(end, len(order))
    if end < len(order):
        report.goes_on()
        enqueue_enrichment(document, ENRICHMENT, begin=end)
    elif unusable := report.row.detail.get("unusable", ""):
        report.failed("caption", unusable)


def _read_words(enriching: Enriching, row: DocumentPicture) -> None:
    """Read a picture by OCR, once an attempt: most pictures hold no words, and that is no failure."""
    read = enriching.report.row.detail.get("read", [])
    if row.ocr_text or str(row.pk) in read:
        return
    context = enriching.context
    text = text_of_picture(row, should_cancel=lambda: context.cancelled)
    context.check()
    if text:
        DocumentPicture.objects.filter(pk=row.pk).update(ocr_text=text)
    enriching.report.note(read=[*read, str(row.pk)])
    enriching.report.row.save(update_fields=["detail"])


def _describe(enriching: Enriching, row: DocumentPicture, passages: Sequence[Chunk]) -> None:
    """Have a picture described, unless it is, or a person did; what fails costs its picture only."""
    report = enriching.report
    if row.caption or row.caption_is_edited or not passages:
        return
    if not enriching.settings.enrichment.captions or "undescribed" in report.row.detail:
        return
    if reason := why_not_described(row.space_id):
        report.note(undescribed=reason)
        return
    try:
        caption = caption_of_picture(enriching, row, passages[0])
    except ModelError as error:
        if error.retry:
            raise
        report.note(unusable=error.message)
        return
    except ProjectError as refusal:  # a budget is spent, or the model was switched off
        report.note(undescribed=refusal.message)
        return
    DocumentPicture.objects.filter(pk=row.pk, caption_is_edited=False).update(caption=caption)


def _wanted(document: Document, _settings: BaseSettings) -> bool:
    """Say whether its text shows pictures, or it has some that the text may have lost."""
    shown = Chunk.objects.filter(
        document=document, kind=ChunkKind.TEXT, text__contains="](picture:"
    )
    return shown.exists() or DocumentPicture.objects.filter(document=document).exists()


ENRICHMENT = Enrichment(
    stage=StageName.PICTURES,
    job=READ_PICTURES,
    wanted=_wanted,
    run=read_pictures,
    needs_chat=False,
)
