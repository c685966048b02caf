"""The job that gives passages the vectors they lack, and switches where a person asked for it.

It knows nothing but rows: what lacks a vector of an identity gets one. So a worker that is killed
loses one call at most, and the same job builds the second index, catches up during a change, and
heals what a switch left behind.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import ProjectError, ServiceFailed
from core.jobs.handlers import JobContext
from core.jobs.standing import runs_elsewhere
from knowledge.constants import EmbeddingChangeState
from knowledge.ingest.embed import embed_chunks
from knowledge.ingest.vector_index import MAXIMUM_INDEXED_DIMENSIONS, ensure_vector_index
from knowledge.jobs import REEMBED_BASE
from knowledge.models import Document, Embedding, EmbeddingChange, KnowledgeBase
from knowledge.reembedding.queries import compared_passages, open_change, passages_without
from knowledge.reembedding.soon import begin_catching_up
from knowledge.reembedding.switch import BEFORE_SWITCH, switch_now
from knowledge.retrieval.dense import EXACT_LIMIT
from providers.contracts.chat import Usage
from providers.contracts.embedding import EmbeddingModel
from providers.contracts.errors import ModelError
from providers.metering import MeteredCall, count, refusal_for
from providers.models import AIModel
from providers.services.clients import get_embedding_model

SLICE_SECONDS = 600.0
"""After so long the job makes room for others of its queue; another one goes on."""
PAUSE_SECONDS = 10.0
"""Before the next look at what another job has in hand, or what changes all the time."""
PURPOSE = "reembedding"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Target:
    """A model whose vectors the passages of a base are to have."""

    row: AIModel
    identity: str
    change: EmbeddingChange | None
    """Of whose progress this is a part; None: the vectors that the base compares already."""


def catch_up(context: JobContext, *, base_id: UUID) -> None:
    """Make what is missing in a base: vectors of the live model, then of an open change's other one.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
        ServiceFailed: a model failed; it says whether to retry.
        ProjectError: a budget is spent, or a model is switched off.
    """
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True)
    found = base.select_related("embedding_model").first()
    if found is None:
        return
    if runs_elsewhere(REEMBED_BASE, dedupe_key=str(base_id), but=context.job_id):
        begin_catching_up(base_id, delay_seconds=PAUSE_SECONDS)
        return
    ends = time.monotonic() + SLICE_SECONDS
    change = open_change(base_id)
    for target in _targets(found, change):
        try:
            is_done = _embed_missing(context, base_id, target, ends=ends)
        except ProjectError as failure:
            # A change is what helps when the model of today is gone for good: build it all the same.
            if target.change is not None or change is None:
                raise
            logger.warning("Base %s lacks vectors of its own model: %s", base_id, failure.message)
            continue
        if not is_done:
            begin_catching_up(base_id)
            return
    if change is not None:
        _settle(change.pk, base_id)


def count_progress(change_id: UUID, base_id: UUID, identity: str) -> int:
    """Write how far a change is; return how many passages lack a vector."""
    total = compared_passages(base_id).count()
    missing = passages_without(base_id, identity).count()
    EmbeddingChange.objects.filter(pk=change_id).update(done=total - missing, total=total)
    return missing


def _targets(base: KnowledgeBase, change: EmbeddingChange | None) -> Iterator[Target]:
    """Return what the base compares first: a passage that lacks it is found by words only."""
    if base.embedding_model is not None and base.embedding_identity:
        yield Target(row=base.embedding_model, identity=base.embedding_identity, change=None)
    if change is None:
        return
    row = change.from_model if change.state == EmbeddingChangeState.LIVE else change.to_model
    if row is not None and change.other_identity != base.embedding_identity:
        yield Target(row=row, identity=change.other_identity, change=change)


def _embed_missing(context: JobContext, base_id: UUID, target: Target, *, ends: float) -> bool:
    """Embed what lacks the target's vector; False when the time is up before all is done."""
    missing = passages_without(base_id, target.identity)
    if not missing.exists():
        return True
    model = _model_of(context, target)
    if model is None:
        return True
    while documents := list(missing.order_by().values_list("document_id", flat=True).distinct()):
        made = 0
        for document_id in documents:
            context.check_lease()
            made += _embed_document(context, document_id, target, model)
            context.check()
            if time.monotonic() > ends:
                return False
        if not made:  # all of it changed under our hands; the keeper looks again
            break
    if target.change is not None:
        _index_when_large(model)
    return True


def _model_of(context: JobContext, target: Target) -> EmbeddingModel | None:
    """Return the model, unless it makes other vectors by now.

    Raises:
        ServiceFailed: it cannot be asked; or it is a change's and makes other vectors by now.
    """
    try:
        model = get_embedding_model(
            target.row, background=True, cancelled=lambda: context.cancelled
        )
        identity = model.identity
    except ModelError as error:
        raise _failure(error) from error
    if identity == target.identity:
        return model
    if target.change is None:  # a person has to begin a change: all of it has to be made again
        return None
    raise ServiceFailed(
        _("The model “%(name)s” was changed meanwhile and makes other vectors. Start again.")
        % {"name": target.row.name},
        retry=False,
    )


def _embed_document(
    context: JobContext, document_id: UUID, target: Target, model: EmbeddingModel
) -> int:
    document = Document.objects.filter(pk=document_id).first()
    if document is None:
        return 0
    change = target.change
    user_id = change.author_id if change is not None else None
    if refusal := refusal_for(user_id):
        raise ServiceFailed(refusal, retry=False)
    seen: list[int] = []

    def progress(done: int, _total: int) -> None:
        if change is not None and seen and done > seen[-1]:
            EmbeddingChange.objects.filter(pk=change.pk).update(done=F("done") + done - seen[-1])
        seen.append(done)

    def spent(tokens: int) -> None:
        usage = Usage(input_tokens=tokens)
        call = MeteredCall(
            space_id=document.space_id,
            user_id=user_id,
            model=target.row,
            usage=usage,
            purpose=PURPOSE,
        )
        count(call)
        if change is not None:
            EmbeddingChange.objects.filter(pk=change.pk).update(
                spent_tokens=F("spent_tokens") + tokens
            )

    try:
        return embed_chunks(
            document,
            model=model,
            progress=progress,
            should_cancel=lambda: context.cancelled,
            spent=spent,
            watchful=True,
        )
    except ModelError as error:
        raise _failure(error) from error


def _failure(error: ModelError) -> ProjectError:
    return ServiceFailed(
        _("The embedding model failed: %(reason)s") % {"reason": error.message},
        retry=error.retry,
        retry_after_seconds=error.retry_after_seconds,
        provider_message=error.provider_message,
    )


def _index_when_large(model: EmbeddingModel) -> None:
    """Have the approximate index of this length before so many vectors are searched with it."""
    if model.dimensions > MAXIMUM_INDEXED_DIMENSIONS:
        return
    if Embedding.objects.filter(dimensions=model.dimensions).count() > EXACT_LIMIT:
        ensure_vector_index(model.dimensions)


def _settle(change_id: UUID, base_id: UUID) -> None:
    """Write how far the change is; make it ready, or switch, when nothing is missing."""
    change = EmbeddingChange.objects.get(pk=change_id)
    missing = count_progress(change_id, base_id, change.other_identity)
    if missing:
        begin_catching_up(base_id, delay_seconds=PAUSE_SECONDS)
        return
    rows = EmbeddingChange.objects.filter(pk=change_id)
    rows.filter(state=EmbeddingChangeState.BUILDING).update(
        state=EmbeddingChangeState.READY, ready_at=timezone.now()
    )
    rows.filter(state__in=BEFORE_SWITCH).update(reason="")
    change.refresh_from_db()
    if change.wants_switch and not switch_now(change_id):
        begin_catching_up(base_id)
