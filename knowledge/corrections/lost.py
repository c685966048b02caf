"""Corrections as a list, and what a person does with those that lost their place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import nlargest
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, NotFound
from knowledge.constants import ChunkKind, CorrectionState, RevisionKind
from knowledge.corrections.edit import clean_text, locked_chunk, write_chunk
from knowledge.corrections.rows import correction_of, read_text
from knowledge.models import Chunk, Correction
from knowledge.text.analyze import analyze

CANDIDATES = 3
LEAST_SHARED = 0.2


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A passage in which a lost correction may belong."""

    chunk: Chunk
    percent: int
    """How much of the words, weighed by how rare they are, it has."""


def list_corrections(actor: Actor, document_id: UUID) -> QuerySet[Correction]:
    """Return what people say about a document's passages: lost ones first, then by page."""
    rows = Correction.objects.filter(
        document_id=document_id, state__in=(CorrectionState.APPLIED, CorrectionState.LOST)
    )
    found = visible(actor, "view", rows).select_related("chunk", "updated_by")
    return found.order_by("-state", "page", "chunk__position", "created_at")


def list_lost(actor: Actor, base_id: UUID) -> QuerySet[Correction]:
    """Return the corrections of a knowledge base that lost their place, by document."""
    rows = Correction.objects.filter(document__base_id=base_id, state=CorrectionState.LOST)
    found = visible(actor, "view", rows).select_related("document", "updated_by")
    return found.order_by("document__name", "document_id", "page", "created_at")


def count_lost(actor: Actor, document_id: UUID) -> int:
    """Return how many corrections of a document a person must look at."""
    rows = Correction.objects.filter(document_id=document_id, state=CorrectionState.LOST)
    return visible(actor, "view", rows).count()


def get_correction(actor: Actor, correction_id: UUID) -> Correction:
    """Return a correction.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = Correction.objects.filter(pk=correction_id).select_related("document__base")
    found = visible(actor, "view", rows).first()
    if found is None:
        raise NotFound(_("There is no such correction."))
    return found


def candidates_of(correction: Correction) -> list[Candidate]:
    """Return the passages that have most of the corrected one's words, the best first.

    A word counts the more, the fewer passages of the document have it.
    """
    rows = Chunk.objects.filter(document_id=correction.document_id, kind=ChunkKind.TEXT)
    words = {pk: _words(text) for pk, text in rows.values_list("pk", "text").iterator()}
    spread = Counter(word for each in words.values() for word in each)
    wanted = {word: 1 / (1 + spread[word]) for word in _words(correction.original_text)}
    whole = sum(wanted.values()) or 1.0
    scores = {
        pk: sum(wanted[word] for word in each if word in wanted) / whole
        for pk, each in words.items()
    }
    best = nlargest(CANDIDATES, scores, key=lambda pk: scores[pk])
    chunks = rows.in_bulk([pk for pk in best if scores[pk] >= LEAST_SHARED])
    return [
        Candidate(chunk=chunks[pk], percent=round(100 * scores[pk])) for pk in best if pk in chunks
    ]


def _words(text: str) -> frozenset[str]:
    return frozenset(analyze(text))


def apply_by_hand(
    actor: Actor, *, correction_id: UUID, chunk_id: UUID, version: int, text: str
) -> Chunk:
    """Put a lost correction into a passage, with the text that the person decided on.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
        Invalid, TooLarge: as for `edit_chunk`.
        Conflict: the correction is not lost any more, or the passage was changed meanwhile.
    """
    correction = get_correction(actor, correction_id)
    require(actor, "change", correction)
    cleaned = clean_text(text)
    with transaction.atomic():
        chunk = locked_chunk(actor, chunk_id=chunk_id, version=version)
        row = Correction.objects.select_for_update().get(pk=correction.pk)
        if row.state != CorrectionState.LOST or row.document_id != chunk.document_id:
            raise Conflict(_("This correction has a place already. Load the page again."))
        row.state, row.chunk = CorrectionState.WITHDRAWN, chunk
        if correction_of(chunk.pk) is not None:
            row.chunk = None  # what the passage has already takes the text over
        row.save(update_fields=["state", "chunk", "updated_at"])
        is_enabled = chunk.is_enabled and row.is_enabled
        write_chunk(actor, chunk, text=cleaned, is_enabled=is_enabled, kind=RevisionKind.EDIT)
    return chunk


def withdraw(actor: Actor, *, correction_id: UUID) -> Correction:
    """Give a correction up; a passage that has it says again what was read.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the correction.
    """
    correction = get_correction(actor, correction_id)
    require(actor, "change", correction)
    with transaction.atomic():
        if correction.state == CorrectionState.APPLIED and correction.chunk_id is not None:
            chunk = locked_chunk(actor, chunk_id=correction.chunk_id, version=None)
            text = read_text(chunk)
            write_chunk(actor, chunk, text=text, is_enabled=True, kind=RevisionKind.REVERT)
        Correction.objects.filter(pk=correction.pk).update(state=CorrectionState.WITHDRAWN)
        record_audit(actor, "chunk.withdraw", target=correction.document, page=correction.page)
    correction.refresh_from_db()
    return correction
