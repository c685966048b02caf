"""The job of corrections: vectors of what people wrote."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _

from core.errors import ServiceFailed
from core.jobs.handlers import JobContext, handles
from knowledge.batches.prices import input_price
from knowledge.batches.spending import spend
from knowledge.constants import DocumentState
from knowledge.corrections.jobs import EMBED_CORRECTED
from knowledge.ingest.embed import embed_chunks
from knowledge.models import Document
from knowledge.reembedding.soon import catch_up_soon
from providers.contracts.errors import ModelError
from providers.services.clients import get_embedding_model


@handles(EMBED_CORRECTED)
def embed(context: JobContext, *, document_id: str) -> None:
    """Give those passages of a document a vector that lack one."""
    rows = Document.objects.filter(pk=UUID(document_id), state=DocumentState.COMPLETED)
    document = rows.select_related("base__embedding_model").first()
    if document is None:  # it is being read, which embeds all that lacks a vector
        return
    row = document.base.embedding_model
    price = input_price(row)
    try:
        model = get_embedding_model(row, background=True, cancelled=lambda: context.cancelled)
        embed_chunks(
            document,
            model=model,
            should_cancel=lambda: context.cancelled,
            spent=lambda tokens: spend(document, tokens=tokens, cents=price * tokens),
            watchful=True,
        )
        catch_up_soon(document.base_id, embedded_with=model.identity)
    except ModelError as error:
        raise ServiceFailed(
            _("The embedding model failed: %(reason)s") % {"reason": error.message},
            retry=error.retry,
            retry_after_seconds=error.retry_after_seconds,
            provider_message=error.provider_message,
        ) from error
