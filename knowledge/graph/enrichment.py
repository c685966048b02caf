"""Reads the graph out of a document, passage by passage, once it is found.

A job works on `PASSAGES_A_JOB` passages and enqueues the next one, so that spaces take turns. What
was read stands passage by passage: a job that dies goes on where it was, and a document that is read
again costs calls for its changed passages only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from knowledge.base_settings import BaseSettings, base_settings_of
from knowledge.constants import UNLISTED_SOURCES, DocumentState, StageName
from knowledge.enrich.asking import ask_text, no_model_reason
from knowledge.enrich.jobs import EXTRACT_GRAPH
from knowledge.enrich.made import passages_of
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.enrich.registry import Enriching, Enrichment
from knowledge.graph.extraction import MOST_CHARACTERS, extract
from knowledge.graph.storing import forget_outdated, made_from, store_extraction, store_failure
from knowledge.models import Chunk, Document, GraphPassage
from knowledge.text.passages import title_of
from knowledge.text.pictures import without_references
from providers.contracts.errors import ModelError, ModelErrorKind

PASSAGES_A_JOB = 10
SHORTEST_PASSAGE = 30
"""Characters; shorter ones relate nothing."""
REFRESHED_AFTER_SECONDS = 30.0
"""People make several edits in a row."""
_OF_A_PASSAGE: frozenset[ModelErrorKind] = frozenset(
    {"bad_response", "bad_request", "content_filter", "context_overflow"}
)
"""Failures that say something about this passage; any other would meet the next ones, too."""


def extract_graph(enriching: Enriching) -> None:
    """Read the next passages into the graph; those that stand there as they are are passed over."""
    document, report = enriching.document, enriching.report
    passages = passages_of(document)
    begin = int(enriching.cursor.get("begin", 0))
    batch = passages[begin : begin + PASSAGES_A_JOB]
    unread = {passage.pk for passage in unread_of(batch, enriching.settings)}
    for number, passage in enumerate(batch, begin):
        report.progress(number, len(passages))
        if passage.pk in unread:
            enriching.context.check()
            _read(enriching, passage)
    end = begin + len(batch)
    report.progress(end, len(passages))
    if end < len(passages):
        report.goes_on()
        enqueue_enrichment(document, ENRICHMENT, begin=end)
        return
    failed = _failed(passages)
    if failed:
        report.failed(
            "bad_response",
            _(
                "From %(n)s passages nothing could be read. The page “Graph” of the knowledge base"
                " lists them with the reasons."
            )
            % {"n": failed},
        )


def unread_of(passages: Sequence[Chunk], settings: BaseSettings) -> list[Chunk]:
    """Return the passages whose part of the graph is not made from what they say now."""
    rows = GraphPassage.objects.filter(chunk_id__in=[each.pk for each in passages], error="")
    read = dict(rows.values_list("chunk_id", "made_from"))
    return [
        passage
        for passage in passages
        if len(passage.text) >= SHORTEST_PASSAGE
        and read.get(passage.pk) != made_from(passage, settings.graph)
    ]


def refresh_graph_soon(document: Document) -> None:
    """Have changed passages read anew: a person edited one, or switched one on.

    What the old text gave to the graph is gone at once. Nothing is read where no model writes.
    """
    forget_outdated(document)
    if document.state != DocumentState.COMPLETED or no_model_reason(document.space_id):
        return
    if _wanted(document, base_settings_of(document.base)):
        enqueue_enrichment(document, ENRICHMENT, delay_seconds=REFRESHED_AFTER_SECONDS)


def material_of(title: str, headings: Sequence[str], text: str) -> str:
    """Return a passage as the model gets it."""
    above = [f"Document: {title}"] if title else []
    above += [f"Headings: {' › '.join(headings)}"] if headings else []
    return "\n".join([*above, f"Passage:\n{text[:MOST_CHARACTERS]}"])


def _read(enriching: Enriching, passage: Chunk) -> None:
    """Have one passage read; one that cannot be read costs nothing but itself."""
    options, report = enriching.settings.graph, enriching.report
    title, text = title_of(enriching.document.name), without_references(passage.text)
    try:
        found = extract(
            partial(ask_text, enriching),
            material=material_of(title, passage.heading_path, text),
            ground="\n".join([title, *passage.heading_path, text[:MOST_CHARACTERS]]),
            options=options,
        )
    except ModelError as error:
        if error.kind not in _OF_A_PASSAGE:
            raise
        store_failure(passage, error.message, options=options)
        return
    with transaction.atomic():
        enriching.context.check_lease()
        if store_extraction(passage, found, options=options):
            report.note(
                entities=report.row.detail.get("entities", 0) + len(found.entities),
                relations=report.row.detail.get("relations", 0) + len(found.relations),
                left_out=report.row.detail.get("left_out", 0) + found.left_out,
            )


def _failed(passages: Sequence[Chunk]) -> int:
    """Count the passages of which nothing could be read."""
    ids = [passage.pk for passage in passages]
    return GraphPassage.objects.filter(chunk_id__in=ids).exclude(error="").count()


def _wanted(document: Document, settings: BaseSettings) -> bool:
    """Whether base and document want it: what the base does not show is not read for one of its documents."""
    if document.source in UNLISTED_SOURCES or not settings.graph.is_enabled:
        return False
    return base_settings_of(document.base).graph.is_enabled


ENRICHMENT = Enrichment(stage=StageName.GRAPH, job=EXTRACT_GRAPH, wanted=_wanted, run=extract_graph)
