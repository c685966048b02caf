"""Evidence as a value: written when an answer is stored, read only with permission on the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext

from accounts.access import Actor, visible
from accounts.guests import guests_of, reading_again
from core.tenancy import space_scope
from knowledge.access.walls import sealed_ids
from knowledge.constants import DocumentSource
from knowledge.models import Chunk, Document, EvidenceRow, KnowledgeBase
from knowledge.pictures.shown import kept_among
from knowledge.text.pictures import without_references

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
    marked_text: str = ""
    """The same with references to its pictures, for people: see `knowledge.pictures.shown`."""
    pictures: frozenset[UUID] = frozenset()
    """Those of its pictures that are kept."""
    is_wiki: bool = False
    """Whether the source is a page of the wiki, which tells what it rests on itself."""
    text_now: str | None = None
    """The passage as it is now, when it changed; None when it did not, or is gone."""


def store_evidence(space_id: int, origin_id: UUID, cited: Sequence[Cited]) -> list[Cited]:
    """Keep the cited passages as they are now; return those that the space does not hold.

    They are gone meanwhile, or another space's: see `knowledge.sharing.evidence`.
    """
    chunks = Chunk.objects.filter(pk__in=[each.chunk_id for each in cited]).select_related(
        "document"
    )
    by_id = {chunk.pk: chunk for chunk in chunks}
    EvidenceRow.objects.bulk_create(
        evidence_row(space_id, origin_id, each.marker, by_id[each.chunk_id])
        for each in cited
        if each.chunk_id in by_id
    )
    return [each for each in cited if each.chunk_id not in by_id]


def read_evidence(actor: Actor, *, origin_id: UUID) -> list[Evidence]:
    """Return the evidence of a message, by marker; permission on each source is asked again."""
    return read_evidence_of(actor, origin_ids=[origin_id]).get(origin_id, [])


def read_evidence_of(actor: Actor, *, origin_ids: Sequence[UUID]) -> dict[UUID, list[Evidence]]:
    """Return the evidence of several messages, each by marker.

    The number of queries is fixed, and the same again for each space that shares something cited.
    """
    rows = list(EvidenceRow.objects.filter(origin_id__in=origin_ids).order_by("marker"))
    found: dict[UUID, list[Evidence]] = {}
    sights = _sights(actor, rows)
    sights = _with_shared(actor, rows, sights)
    kept = kept_among((row.document_id, row.text) for row in rows)
    for row, sight in zip(rows, sights, strict=True):
        found.setdefault(row.origin_id, []).append(_as_seen(row, sight, kept))
    return found


@dataclass(frozen=True, kw_only=True)
class _Sight:
    """What the reader may see of one row's source."""

    may_read: bool
    document_exists: bool
    chunk: Chunk | None
    is_wiki: bool = False


def _sights(actor: Actor, rows: Sequence[EvidenceRow]) -> list[_Sight]:
    document_ids = {row.document_id for row in rows}
    exists = dict(Document.objects.filter(pk__in=document_ids).values_list("pk", "source"))
    seen = _visible_ids(actor, document_ids)
    bases = visible(
        actor, "view", KnowledgeBase.objects.filter(pk__in={row.base_id for row in rows})
    )
    seen_bases = set(bases.values_list("pk", flat=True))
    chunks = Chunk.objects.in_bulk([row.chunk_id for row in rows])
    sealed = sealed_ids(actor, document_ids - exists.keys())
    return [
        _Sight(
            may_read=row.document_id in seen
            or (
                row.document_id not in exists
                and row.base_id in seen_bases
                and row.document_id not in sealed
            ),
            document_exists=row.document_id in seen,
            chunk=chunks.get(row.chunk_id),
            is_wiki=exists.get(row.document_id) == DocumentSource.WIKI,
        )
        for row in rows
    ]


def _with_shared(
    actor: Actor, rows: Sequence[EvidenceRow], sights: Sequence[_Sight]
) -> list[_Sight]:
    """Look again at what is closed: a source of a shared base is read as the guest of its space."""
    closed = {row.base_id for row, sight in zip(rows, sights, strict=True) if not sight.may_read}
    found = list(sights)
    for guest in guests_of(reading_again(actor), kind="base", object_ids=closed):
        opened = {shared.object_id for shared in guest.shared}
        places = [place for place, row in enumerate(rows) if row.base_id in opened]
        with space_scope(guest.space_id):
            seen = _sights(guest, [rows[place] for place in places])
        for place, sight in zip(places, seen, strict=True):
            found[place] = sight
    return found


def _visible_ids(actor: Actor, document_ids: set[UUID]) -> set[UUID]:
    found = visible(actor, "view", Document.objects.filter(pk__in=document_ids))
    return set(found.values_list("pk", flat=True))


def _as_seen(row: EvidenceRow, sight: _Sight, pictures: frozenset[UUID]) -> Evidence:
    if not sight.may_read:
        return Evidence(id=row.pk, marker=row.marker, source_state="hidden")
    return Evidence(
        id=row.pk,
        marker=row.marker,
        source_state=_source_state(row, sight),
        document_name=row.document_name or gettext("An erased document"),
        document_id=row.document_id if sight.document_exists else None,
        base_id=row.base_id,
        chunk_id=row.chunk_id,
        page_from=row.page_from,
        page_to=row.page_to,
        heading_path=tuple(row.heading_path),
        text=without_references(row.text),
        marked_text=row.text,
        pictures=pictures if sight.document_exists else frozenset(),
        is_wiki=sight.is_wiki,
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
    return without_references(sight.chunk.text)


def evidence_row(space_id: int, origin_id: UUID, marker: int, chunk: Chunk) -> EvidenceRow:
    """Return the unsaved evidence of a citation: a copy of the passage, with no key to it."""
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
