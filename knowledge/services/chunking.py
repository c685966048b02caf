"""Trying out how text is split, and what it would take to read a base again with other settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from django.db.models import Avg, F, Sum
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from core.errors import Conflict, ProjectError, TooLarge
from knowledge.base_settings import SplitOptions, base_settings_of, document_settings_of, merged
from knowledge.batches.prices import input_price
from knowledge.constants import RETRYABLE_STATES, UNLISTED_SOURCES, ChunkKind, StageState
from knowledge.ingest.read import kept_text
from knowledge.ingest.sizes import CHARACTERS_PER_TOKEN
from knowledge.ingest.split import clean_text
from knowledge.ingest.tiers import Split, split_document
from knowledge.models import Chunk, Document, KnowledgeBase, Stage
from knowledge.parsers.contract import Block, ParsedDocument
from knowledge.queries import get_base, get_document
from knowledge.services.bases import update_base
from knowledge.services.documents import set_processing

LONGEST_PREVIEW = 64_000
"""Characters of a text that is tried out."""
MOST_CHUNKS = 500
"""Chunks that are shown."""
TIMEOUT_SECONDS = 5.0


class TookTooLong(ProjectError):
    """A preview was stopped."""

    code: ClassVar[str] = "timed_out"
    http_status: ClassVar[int] = 504


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A text as it would be split."""

    text: str
    made: Split


@dataclass(frozen=True, kw_only=True)
class ReadingEstimate:
    """What reading a base again takes."""

    documents: int
    characters: int
    tokens: int
    """That the embedding model gets if every passage is another than before."""
    seconds: float
    """Of work, from how long the last readings took; several documents go at a time."""
    cents: Decimal


def preview_split(
    text: str, options: SplitOptions, *, clock: Callable[[], float] = time.monotonic
) -> Preview:
    """Split a text without keeping anything.

    Raises:
        TooLarge: it has more than `LONGEST_PREVIEW` characters.
        TookTooLong: it took over `TIMEOUT_SECONDS`.
    """
    if len(text) > LONGEST_PREVIEW:
        raise TooLarge(
            _(
                "The text has %(n)s characters; at most %(most)s can be tried out. Paste a part of"
                " it."
            )
            % {"n": f"{len(text):,}", "most": f"{LONGEST_PREVIEW:,}"}
        )
    ends = clock() + TIMEOUT_SECONDS

    def check() -> None:
        if clock() > ends:
            raise TookTooLong(
                _("Splitting took over %(n)s seconds and was stopped. Paste less text.")
                % {"n": f"{TIMEOUT_SECONDS:g}"}
            )

    parsed = ParsedDocument(blocks=(Block(markdown=text.replace("\r\n", "\n")),))
    made = split_document(parsed, options, check=check)
    check()
    return Preview(text=clean_text(parsed), made=made)


def text_to_try(actor: Actor, document_id: UUID) -> str:
    """Return the beginning of what was read from a document, as much as a preview takes.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Conflict: it was not read yet.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    kept = kept_text(document)
    if kept is None:
        raise Conflict(
            _("“%(name)s” was not read yet; wait for it, or read it again.")
            % {"name": document.name}
        )
    return clean_text(kept)[:LONGEST_PREVIEW]


def save_base_split(actor: Actor, *, base_id: UUID, options: SplitOptions) -> ReadingEstimate:
    """Make it the base's setting; return what it takes to read its documents again with it.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
    """
    base = get_base(actor, base_id)
    settings = base_settings_of(base).model_copy(update={"split": options})
    update_base(
        actor, base_id=base.pk, name=base.name, description=base.description, settings=settings
    )
    return estimate_reading(actor, base)


def save_document_split(actor: Actor, *, document_id: UUID, options: SplitOptions) -> Document:
    """Make it the document's own setting, as far as it differs from its base.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
    """
    document = get_document(actor, document_id)
    of_base = base_settings_of(document.base).split.model_dump()
    own = {name: value for name, value in options.model_dump().items() if value != of_base[name]}
    others = {name: part for name, part in document.processing.items() if name != "split"}
    processing = merged(others, {"split": own}) if own else others
    return set_processing(actor, document_id=document.pk, processing=processing)


def document_split(document: Document) -> SplitOptions:
    """Return how a document is split now."""
    return document_settings_of(document).split


def estimate_reading(actor: Actor, base: KnowledgeBase) -> ReadingEstimate:
    """Return what reading all documents of a base again takes, as far as the actor sees them."""
    listed = Document.objects.filter(base=base, is_draft=False, state__in=RETRYABLE_STATES)
    documents = visible(actor, "view", listed.exclude(source__in=UNLISTED_SOURCES)).order_by()
    passages = Chunk.objects.filter(document__in=documents, kind=ChunkKind.TEXT).order_by()
    characters = passages.aggregate(total=Sum(Length("text")))["total"] or 0
    tokens = round(characters / CHARACTERS_PER_TOKEN["mixed"])
    count = documents.count()
    return ReadingEstimate(
        documents=count,
        characters=characters,
        tokens=tokens,
        seconds=count * _seconds_a_document(base),
        cents=tokens * input_price(base.embedding_model),
    )


def _seconds_a_document(base: KnowledgeBase) -> float:
    """Return how long the steps of the present readings took, on the average of a document."""
    done = Stage.objects.filter(
        document__base=base,
        attempt=F("document__attempt"),
        state=StageState.DONE,
        ended_at__isnull=False,
    ).order_by()
    means = done.values("name").annotate(mean=Avg(F("ended_at") - F("started_at")))
    return float(sum(row["mean"].total_seconds() for row in means))
