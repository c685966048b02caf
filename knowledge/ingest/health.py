"""Writes down how well each page of a document was read, as a part of the step "parse".

The figures come from `knowledge.health`; the ink was measured where the file was read.
"""

from __future__ import annotations

from django.db import transaction

from knowledge.health.score import PageScore, mean_confidence, score_document
from knowledge.models import Document, PageHealth
from knowledge.parsers.contract import ParsedDocument

_BATCH = 1_000


def write_health(document: Document, parsed: ParsedDocument) -> float | None:
    """Let the rows of a document be those of this text; return the confidence of the whole.

    May run twice. The document's own row is saved by the caller.
    """
    scores = score_document(parsed)
    with transaction.atomic():
        PageHealth.objects.filter(document=document).delete()
        rows = (_row(document, score, parsed.parser) for score in scores)
        PageHealth.objects.bulk_create(rows, batch_size=_BATCH)
    document.confidence = mean_confidence(scores)
    return document.confidence


def _row(document: Document, score: PageScore, parser: str) -> PageHealth:
    return PageHealth(
        space_id=document.space_id,
        document=document,
        page=score.page,
        confidence=score.confidence,
        signals=score.values,
        parser=parser[:60],
    )
