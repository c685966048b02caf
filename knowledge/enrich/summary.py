"""Some sentences about a document: shown with it, and found by what it is about."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_noop

from core.jobs.handlers import JobContext
from knowledge.base_settings import BaseSettings
from knowledge.constants import UNLISTED_SOURCES, ChunkKind, DocumentState, StageName
from knowledge.enrich.asking import Wish, ask_text, no_model_reason
from knowledge.enrich.jobs import SUMMARISE
from knowledge.enrich.made import Made, embed_made, passages_of, replace_made
from knowledge.enrich.material import about, fingerprint, head_and_tail
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.enrich.registry import Enriching, Enrichment
from knowledge.models import Document
from knowledge.prompts import knowledge_prompt

MOST_CHARACTERS = 24_000
"""Of the text: about 6,000 tokens of English, fitting models with small windows."""
MOST_TOKENS = 600
REFRESHED_AFTER_SECONDS = 30.0
"""People make several edits in a row; one new summary is enough."""


def summarise(enriching: Enriching) -> None:
    """Write the document's summary, unless a person did or the text changed meanwhile."""
    document, report = enriching.document, enriching.report
    if document.summary_is_edited:
        report.skipped(gettext_noop("A person wrote the summary."))
        return
    passages = passages_of(document)
    if not passages:
        report.skipped(gettext_noop("No passage of it is enabled."))
        return
    made_from = fingerprint(document, passages)
    text = head_and_tail(passages, most_characters=MOST_CHARACTERS)
    material = f"{about(document)}\n\nText:\n{text}"
    summary = ask_text(
        enriching,
        Wish(
            instructions=knowledge_prompt("summary").render(),
            material=material,
            purpose="summary",
            max_tokens=MOST_TOKENS,
        ),
    ).strip()
    report.note(characters_in=len(material), characters_out=len(summary))
    if not summary:
        report.failed(
            "bad_response",
            gettext_noop("The model answered nothing. Read the document again later."),
        )
    elif _write(enriching.context, document, summary, made_from):
        made = Made(parent=passages[0], text=summary, source_hash=made_from)
        replace_made(enriching, kind=ChunkKind.SUMMARY, made=[made], of=None)
        embed_made(enriching)
    else:
        report.note(outdated=True)
        report.goes_on()
        enqueue_enrichment(document, ENRICHMENT, delay_seconds=REFRESHED_AFTER_SECONDS)


def refresh_summary_soon(document: Document) -> None:
    """Have the summary written anew: its text, name or fields were changed by a person.

    Nothing happens where no model writes: the timeline said so when the document was read.
    """
    if document.state != DocumentState.COMPLETED or document.summary_is_edited:
        return
    if not no_model_reason(document.space_id):
        enqueue_enrichment(document, ENRICHMENT, delay_seconds=REFRESHED_AFTER_SECONDS)


def _write(context: JobContext, document: Document, summary: str, made_from: str) -> bool:
    """Store the summary; return whether it still is about what the document says now."""
    with transaction.atomic():
        context.check_lease()
        now = Document.objects.select_for_update().get(pk=document.pk)
        if fingerprint(now, passages_of(now)) != made_from:
            return False
        if not now.summary_is_edited:
            Document.objects.filter(pk=now.pk).update(summary=summary)
        return True


def _wanted(document: Document, settings: BaseSettings) -> bool:
    return settings.enrichment.summary and document.source not in UNLISTED_SOURCES


ENRICHMENT = Enrichment(stage=StageName.SUMMARY, job=SUMMARISE, wanted=_wanted, run=summarise)
