"""Evidence as a value: written when an answer is stored, read only with permission on the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from accounts.access import Actor, visible
from knowledge.models import Chunk, Document, EvidenceRow, KnowledgeBase

SourceState = Literal["unchanged", "changed", "deleted", "hidden"]


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A marker of a text and the passage it points to."""

    marker: int
    chunk_id: UUID


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One cited passage as far as the reader may see it."""

    id: UUID
    marker: int
    source_state: SourceState
    """`hidden`: the reader may not see the source; then only the marker is given."""
    document_name: str = ""
    document_id: UUID | None = None
    base_id: UUID | None = None
    chunk_id: UUID | None = None
    page_from: int | None = None
    page_to: int | None = None
    heading_path: tuple[str, ...] = ()
    text: str = ""
    """The passage as it was read when the answer was made."""
    text_now: str | None = None
    """The passage as it is now, when it changed; None when it did not, or is gone."""


def store_evidence(space_id: int, origin_id: UUID, cited: Sequence[Cited]) -> None:
    """Keep the cited passages as they are now; a passage that is gone meanwhile is left out."""
    chunks = Chunk.objects.filter(pk__in=[each.chunk_id for each in cited]).select_related(
        "document"
    )
    by_id = {chunk.pk: chunk for chunk in chunks}
    EvidenceRow.objects.bulk_create(
        _row(space_id, origin_id, each.marker, by_id[each.chunk_id])
        for each in cited
        if each.chunk_id in by_id
    )


def read_evidence(actor: Actor, *, origin_id: UUID) -> list[Evidence]:
    """Return the evidence of a message, by marker; permission on each source is asked again."""
    return read_evidence_of(actor, origin_ids=[origin_id]).get(origin_id, [])


def read_evidence_of(actor: Actor, *, origin_ids: Sequence[UUID]) -> dict[UUID, list[Evidence]]:
    """Return the evidence of several messages, each by marker, in a fixed number of queries."""
    rows = list(EvidenceRow.objects.filter(origin_id__in=origin_ids).order_by("marker"))
    found: dict[UUID, list[Evidence]] = {}
    for row, sight in zip(rows, _sights(actor, rows), strict=True):
        found.setdefault(row.origin_id, []).append(_as_seen(row, sight))
    return found


@dataclass(frozen=True, kw_only=True)
class _Sight:
    """What the reader may see of one row's source."""

    may_read: bool
    document_exists: bool
    chunk: Chunk | None


def _sights(actor: Actor, rows: Sequence[EvidenceRow]) -> list[_Sight]:
    document_ids = {row.document_id for row in rows}
    exists = set(Document.objects.filter(pk__in=document_ids).values_list("pk", flat=True))
    seen = _visible_ids(actor, document_ids)
    bases = visible(
        actor, "view", KnowledgeBase.objects.filter(pk__in={row.base_id for row in rows})
    )
    seen_bases = set(bases.values_list("pk", flat=True))
    chunks = Chunk.objects.in_bulk([row.chunk_id for row in rows])
    return [
        _Sight(
            may_read=row.document_id in seen
            or (row.document_id not in exists and row.base_id in seen_bases),
            document_exists=row.document_id in seen,
            chunk=chunks.get(row.chunk_id),
        )
        for row in rows
    ]


def _visible_ids(actor: Actor, document_ids: set[UUID]) -> set[UUID]:
    found = visible(actor, "view", Document.objects.filter(pk__in=document_ids))
    return set(found.values_list("pk", flat=True))


def _as_seen(row: EvidenceRow, sight: _Sight) -> Evidence:
    if not sight.may_read:
        return Evidence(id=row.pk, marker=row.marker, source_state="hidden")
    return Evidence(
        id=row.pk,
        marker=row.marker,
        source_state=_source_state(row, sight),
        document_name=row.document_name,
        document_id=row.document_id if sight.document_exists else None,
        base_id=row.base_id,
        chunk_id=row.chunk_id,
        page_from=row.page_from,
        page_to=row.page_to,
        heading_path=tuple(row.heading_path),
        text=row.text,
        text_now=_text_now(row, sight),
    )


def _source_state(row: EvidenceRow, sight: _Sight) -> SourceState:
    if not sight.document_exists:
        return "deleted"
    same = sight.chunk is not None and sight.chunk.content_hash == row.chunk_hash
    return "unchanged" if same else "changed"


def _text_now(row: EvidenceRow, sight: _Sight) -> str | None:
    if sight.chunk is None or sight.chunk.content_hash == row.chunk_hash:
        return None
    return sight.chunk.text


def _row(space_id: int, origin_id: UUID, marker: int, chunk: Chunk) -> EvidenceRow:
    return EvidenceRow(
        space_id=space_id,
        origin_id=origin_id,
        marker=marker,
        base_id=chunk.base_id,
        document_id=chunk.document_id,
        document_name=chunk.document.name,
        document_revision=chunk.document_revision,
        chunk_id=chunk.pk,
        chunk_hash=chunk.content_hash,
        heading_path=chunk.heading_path,
        page_from=chunk.page_from,
        page_to=chunk.page_to,
        box=chunk.box,
        text=chunk.text,
    )
