"""A file's way into a base: parse, split, embed, index. The order is readable in `_ingest`.

A document can be found as soon as it is indexed; in the same transaction its enrichments
(`knowledge.enrich`) are enqueued, each a job of its own that can no longer fail the document.

Every step may run twice: a parse is kept under the hash of the file, chunks keep their rows while
their text is the same, vectors and keywords are only made for chunks that lack them. So an attempt
that a kill ended goes on where it was, and nothing stands twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import DatabaseError, transaction
from django.utils import timezone

from core.errors import Invalid, ServiceFailed
from core.jobs.handlers import JobCancelled, JobContext
from knowledge.base_settings import BaseSettings, document_settings_of
from knowledge.batches.prices import input_price
from knowledge.batches.spending import BatchPaused, check_batch, put_back, settle_batch, spend
from knowledge.constants import OPEN_STATES, ChunkKind, DocumentState, StageName
from knowledge.corrections.reapply import begin_corrections, settle_corrections
from knowledge.enrich.plan import begin_enrichment
from knowledge.ingest.chunks import replace_chunks
from knowledge.ingest.embed import embed_chunks, embeds_with_another
from knowledge.ingest.health import write_health
from knowledge.ingest.index import index_chunks
from knowledge.ingest.parse import ParseCancelled
from knowledge.ingest.read import read_document
from knowledge.ingest.split import SPLITTER_VERSION
from knowledge.ingest.stages import stage
from knowledge.ingest.tiers import split_document
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.parsers.contract import ParsedDocument, ParseRefused
from knowledge.reembedding.soon import catch_up_soon
from knowledge.signals import document_indexed
from providers.contracts.embedding import EmbeddingModel
from providers.contracts.errors import ModelError
from providers.services.clients import get_embedding_model

_STATE_OF_CODE = {
    "encrypted": DocumentState.NEEDS_INPUT,
    "damaged": DocumentState.FAILED,
    "out_of_memory": DocumentState.FAILED,
    "timed_out": DocumentState.FAILED,
    "crashed": DocumentState.FAILED,
    "settings": DocumentState.FAILED,
}
"""What a parser's refusal means for the document; every other code means refused."""
_MOST_SWITCHES = 3
"""Of the base's embedding model, while one document is read."""


@dataclass(frozen=True, kw_only=True)
class Ingestion:
    """One attempt at one document."""

    context: JobContext
    document: Document
    base: KnowledgeBase
    settings: BaseSettings


def ingest_document(context: JobContext, *, document_id: UUID, attempt: int) -> None:
    """Bring a document into its base, or into a state with a reason.

    Raises:
        JobCancelled: a person stopped it, or another worker has the job.
        ServiceFailed: the embedding model failed; it says whether to retry.
    """
    ingestion = _begin(context, document_id, attempt)
    if ingestion is None:
        return
    try:
        _ingest(ingestion)
    except BatchPaused:
        put_back(ingestion.document)
    except ParseRefused as refusal:
        refuse(ingestion.document, code=refusal.code, reason=refusal.reason)
    except ParseCancelled as stop:
        raise JobCancelled(str(stop)) from stop
    except DatabaseError as error:
        still_there = Document.objects.filter(pk=document_id, state__in=OPEN_STATES).exists()
        if still_there:
            raise
        raise JobCancelled("The document was removed meanwhile.") from error
    except ModelError as error:
        raise ServiceFailed(
            f"The embedding model failed: {error.message}",
            retry=error.retry,
            retry_after_seconds=error.retry_after_seconds,
            provider_message=error.provider_message,
        ) from error


def _begin(context: JobContext, document_id: UUID, attempt: int) -> Ingestion | None:
    """Take the document; None when this attempt is over or the document is gone."""
    taken = Document.objects.filter(pk=document_id, attempt=attempt, state__in=OPEN_STATES).update(
        state=DocumentState.PROCESSING, reason="", reason_code="", updated_at=timezone.now()
    )
    if not taken:
        return None
    document = Document.objects.select_related("base__embedding_model").get(pk=document_id)
    try:
        chosen = document_settings_of(document)
    except Invalid as problem:
        refuse(document, code="settings", reason=problem.message)
        return None
    return Ingestion(context=context, document=document, base=document.base, settings=chosen)


def _ingest(ingestion: Ingestion) -> None:
    """Run the steps in their order."""
    check_batch(ingestion.document)
    parsed = _parse(ingestion)
    ingestion.context.check()
    _split(ingestion, parsed)
    ingestion.context.check()
    for _ in range(_MOST_SWITCHES):
        base = KnowledgeBase.objects.select_related("embedding_model").get(pk=ingestion.base.pk)
        model = get_embedding_model(
            base.embedding_model,
            background=True,
            cancelled=lambda: ingestion.context.cancelled,
        )
        _embed(ingestion, base, model)
        ingestion.context.check()
        if _index(ingestion, base, model):
            catch_up_soon(base.pk, embedded_with=model.identity)
            return
    raise ServiceFailed("The embedding model of the knowledge base is being changed.", retry=True)


def _parse(ingestion: Ingestion) -> ParsedDocument:
    document, context = ingestion.document, ingestion.context
    with stage(document, StageName.PARSE) as report:
        read = read_document(document, report=report, should_cancel=lambda: context.cancelled)
        document.file_type = read.file_type
        document.page_count = read.parsed.page_count
        document.warnings = list(read.parsed.warnings)
        with transaction.atomic():
            context.check_lease()
            report.note(confidence=write_health(document, read.parsed))
            changed = ["file_type", "page_count", "warnings", "confidence", "updated_at"]
            document.save(update_fields=changed)
        report.note(size_bytes=document.size_bytes)
        return read.parsed


def _split(ingestion: Ingestion, parsed: ParsedDocument) -> None:
    document, options = ingestion.document, ingestion.settings.split
    with stage(document, StageName.SPLIT) as report:
        made = split_document(parsed, options, check=ingestion.context.check)
        if not made.chunks:
            raise ParseRefused(
                "no_text", "No text was found in this file, so nothing can be found in it."
            )
        with transaction.atomic():
            ingestion.context.check_lease()
            again = begin_corrections(
                document,
                text=parsed.text,
                drafts=made.chunks,
                parents=made.parents,
                check=ingestion.context.check,
            )
            drafts, sections = again.plan.drafts, again.plan.sections
            revision = document.revision + _text_changed(document, [d.content_hash for d in drafts])
            done = replace_chunks(document, drafts, revision=revision, parents=sections)
            settle_corrections(document, again)
            document.revision, document.chunk_count = revision, len(drafts)
            document.save(update_fields=["revision", "chunk_count", "updated_at"])
        report.progress(len(drafts), len(drafts))
        report.note(
            characters=len(parsed.text),
            passages=len(drafts),
            tier=made.tier,
            sections=len(sections),
            corrections=len(again.corrections) - len(again.plan.lost),
            lost=len(again.plan.lost),
            kept=done.kept,
            added=done.added,
            removed=done.removed,
            version=SPLITTER_VERSION,
        )


def _text_changed(document: Document, hashes: list[str]) -> bool:
    """Say whether another text was read than the one the chunks hold."""
    rows = Chunk.objects.filter(document=document, kind=ChunkKind.TEXT).order_by("position")
    return list(rows.values_list("content_hash", flat=True)) != hashes


def _embed(ingestion: Ingestion, base: KnowledgeBase, model: EmbeddingModel) -> None:
    document = ingestion.document
    price = input_price(base.embedding_model)
    tokens = 0

    def spent(used: int) -> None:
        nonlocal tokens
        tokens += used
        report.note(tokens=tokens)
        spend(document, tokens=used, cents=price * used)
        check_batch(document)

    with stage(document, StageName.EMBED) as report:
        made = embed_chunks(
            document,
            model=model,
            progress=report.progress,
            should_cancel=lambda: ingestion.context.cancelled,
            spent=spent,
        )
        report.note(model=model.identity, made=made)
        ingestion.context.check()


def _index(ingestion: Ingestion, base: KnowledgeBase, model: EmbeddingModel) -> bool:
    """Make the chunks findable and the document ready, in one transaction.

    False: nothing of it was done, since the base was switched to another embedding model while
    the passages were embedded.
    """
    document = ingestion.document
    with stage(document, StageName.INDEX) as report, transaction.atomic():
        ingestion.context.check_lease()
        report.note(passages=index_chunks(document, check=ingestion.context.check))
        # The lock of the base, taken for the index, is also the switch's: nobody changes it now.
        if embeds_with_another(base):
            transaction.set_rollback(True)
            return False
        KnowledgeBase.objects.filter(pk=base.pk, embedding_identity="").update(
            embedding_identity=model.identity
        )
        now = timezone.now()
        finished = Document.objects.filter(
            pk=document.pk, attempt=document.attempt, state__in=OPEN_STATES
        ).update(
            state=DocumentState.COMPLETED,
            searchable_at=now,
            reason_code="",
            reason="",
            updated_at=now,
        )
        if not finished:
            raise JobCancelled("The document was stopped or removed meanwhile.")
        begin_enrichment(document, ingestion.settings)
        settle_batch(document)
        report.done()
        transaction.on_commit(
            lambda: document_indexed.send(sender=Document, document_id=document.pk)
        )
    return True


def refuse(document: Document, *, code: str, reason: str) -> None:
    """End the present attempt without a result, with the reason its owner reads."""
    Document.objects.filter(pk=document.pk, attempt=document.attempt, state__in=OPEN_STATES).update(
        state=_STATE_OF_CODE.get(code, DocumentState.REFUSED),
        reason_code=code,
        reason=reason,
        updated_at=timezone.now(),
    )
    settle_batch(document)
