"""What a building will take: calls, tokens, money, time. A guess from sizes, never a promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Length

from knowledge.batches.prices import currency_of, input_price, output_price
from knowledge.constants import ChunkKind, DocumentSource, DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase
from providers.models import AIModel
from wiki.build import candidates, cite, write
from wiki.build.reading import QUOTED
from wiki.constants import Granularity
from wiki.models import WikiReading, WikiSettings

_CHARACTERS_A_TOKEN: Final = 3
_SUBJECTS: Final = {
    Granularity.FOCUSED: 5,
    Granularity.STANDARD: 10,
    Granularity.EXHAUSTIVE: 30,
}
"""Pages that a usual document gives."""
_INSTRUCTIONS: Final = 700
"""Tokens of a prompt."""
_WRITTEN: Final = 500
"""Tokens of a usual answer."""
_SECONDS_A_CALL: Final = 15.0


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What building these documents may take."""

    documents: int
    passages: int
    pages: int
    calls: int
    tokens: int
    cents: int
    """Rounded up; 0 where no prices are set."""
    currency: str
    seconds: int

    def stored(self) -> dict[str, Any]:
        """Return it as a building keeps it."""
        return asdict(self)


def buildable(base: KnowledgeBase) -> QuerySet[Document]:
    """Return the documents that pages may be built from."""
    rows = Document.objects.filter(
        base=base, state=DocumentState.COMPLETED, trashed_at__isnull=True, wiki_page__isnull=True
    )
    return rows.exclude(source=DocumentSource.FAQ)


def unbuilt(base: KnowledgeBase, *, with_model: bool) -> QuerySet[Document]:
    """Return the documents that were never built in, or have passages that are newer than that.

    With a model also those that were only quoted.
    """
    read = WikiReading.objects.filter(document=OuterRef("pk"))
    if with_model:
        read = read.exclude(made_from__startswith=QUOTED)
    newer = Chunk.objects.filter(
        document=OuterRef("pk"),
        kind=ChunkKind.TEXT,
        created_at__gt=OuterRef("read_at"),
    )
    rows = buildable(base).annotate(read_at=read.values("updated_at")[:1])
    return rows.filter(Q(read_at__isnull=True) | Exists(newer))


def estimate_of(
    settings: WikiSettings, document_ids: Sequence[UUID], model: AIModel | None
) -> Estimate:
    """Return what building documents may take; without a model no calls are made."""
    rows = (
        Chunk.objects.filter(document_id__in=document_ids, kind=ChunkKind.TEXT, is_enabled=True)
        .order_by()
        .values("document_id")
        .annotate(passages=Count("pk"), characters=Sum(Length(F("text"))))
    )
    sizes = [(row["passages"], row["characters"] or 0) for row in rows]
    subjects = _SUBJECTS[Granularity(settings.granularity)] if model else 0
    calls = tokens_in = tokens_out = 0
    for _passages, characters in sizes if model else ():
        cites = -(-characters // cite.MOST_CHARACTERS)
        writes = subjects + -(-characters // write.MOST_CHARACTERS)
        calls += 1 + cites + writes
        read = min(characters, candidates.MOST_CHARACTERS) + 3 * characters
        tokens_in += (1 + cites + writes) * _INSTRUCTIONS + read // _CHARACTERS_A_TOKEN
        tokens_out += (1 + cites + writes) * _WRITTEN
    batches = -(-len(sizes) // max(1, settings.batch_size)) if model else 0
    calls += 2 * batches
    tokens_in += 2 * batches * _INSTRUCTIONS
    tokens_out += 2 * batches * _WRITTEN
    cents = tokens_in * input_price(model) + tokens_out * output_price(model)
    return Estimate(
        documents=len(document_ids),
        passages=sum(passages for passages, _characters in sizes),
        pages=len(sizes) * (subjects + 1),
        calls=calls,
        tokens=tokens_in + tokens_out,
        cents=-int(-cents // 1),
        currency=currency_of(model),
        seconds=int(calls * _SECONDS_A_CALL / max(1, min(settings.reduce_parallel, 4)))
        + len(sizes),
    )
