"""Puts corrections on a new reading of their document, inside of the transaction that stores it.

First `begin_corrections` says what the passages are, then `replace_chunks` stores them, then
`settle_corrections` writes where each correction stands: with a passage, or lost and up to a person.
Afterwards each changed passage has one correction, said in terms of the newest reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from knowledge.constants import ChunkKind, CorrectionState, RevisionKind
from knowledge.corrections.anchor import CONTEXT_CHARACTERS, Anchor
from knowledge.corrections.placing import Passage
from knowledge.corrections.plan import Plan, plan_reading
from knowledge.corrections.questions_kept import KeptQuestions, keep_questions
from knowledge.corrections.rows import add_revision, around_of, detail_with
from knowledge.ingest.places import ChunkDraft
from knowledge.models import Chunk, Correction, Document

_BATCH = 500


@dataclass(kw_only=True)
class Reapplying:
    """Corrections between two readings."""

    text: str
    plan: Plan
    corrections: dict[str, Correction] = field(default_factory=dict)
    """By their keys, the oldest first."""
    stood: dict[str, UUID | None] = field(default_factory=dict)
    """The passages that showed them before."""
    questions: KeptQuestions


def begin_corrections(
    document: Document,
    *,
    text: str,
    drafts: Sequence[ChunkDraft],
    parents: Sequence[ChunkDraft] = (),
    check: Callable[[], None] = lambda: None,
) -> Reapplying:
    """Return the passages of a new reading with all corrections; who edits meanwhile waits."""
    Document.objects.select_for_update().get(pk=document.pk)
    rows = Correction.objects.filter(
        document=document, state__in=(CorrectionState.APPLIED, CorrectionState.LOST)
    )
    found = {str(row.pk): row for row in rows.select_related("chunk").order_by("created_at", "pk")}
    anchors = [_anchor(key, row) for key, row in found.items()]
    plan = plan_reading(text, drafts, parents=parents, anchors=anchors, check=check)
    return Reapplying(
        text=text,
        plan=plan,
        corrections=found,
        stood={key: row.chunk_id for key, row in found.items()},
        questions=keep_questions(document, plan.passages, text),
    )


def settle_corrections(document: Document, again: Reapplying) -> None:
    """Write what became of the corrections, now that the passages are stored."""
    plan = again.plan
    rows = list(Chunk.objects.filter(document=document, kind=ChunkKind.TEXT).order_by("position"))
    sections = list(
        Chunk.objects.filter(document=document, kind=ChunkKind.PARENT).order_by("position")
    )
    _describe(rows, plan.passages, plan.off)
    _describe(sections, plan.parents, set())
    again.questions.hand_over(rows)
    if not again.corrections:
        return
    Correction.objects.filter(pk__in=list(again.corrections)).update(chunk=None)
    owners: set[str] = set()
    for index in sorted(plan.held):
        key = next((each for each in plan.held[index] if each not in owners), None)
        row = _row(document, again, plan.held[index][0]) if key is None else again.corrections[key]
        owners |= {key} if key else set()
        _take_place(again, row, rows[index], index, was=again.stood.get(key or ""))
    _settle_rest(again, rows, owners)


def _anchor(key: str, row: Correction) -> Anchor:
    return Anchor(
        key=key,
        original=row.original_text,
        text=row.text,
        before=row.before,
        after=row.after,
        page=row.page,
        is_enabled=row.is_enabled,
        near=row.chunk.char_start if row.chunk else None,
        around=around_of(row.chunk) if row.chunk else (0, 0),
    )


def _describe(rows: Sequence[Chunk], passages: Sequence[Passage], off: set[int]) -> None:
    """Write on rows how they were read and whether they are used, where that changed."""
    changed: list[Chunk] = []
    for row, passage in zip(rows, passages, strict=True):
        draft = passage.draft
        size = draft.char_end - draft.char_start
        around = (draft.prefix_length, max(0, len(passage.read) - size - draft.prefix_length))
        detail = detail_with(row, read=passage.read, around=around)
        is_enabled = draft.index not in off
        if (detail, is_enabled) != (row.detail, row.is_enabled):
            row.detail, row.is_enabled = detail, is_enabled
            changed.append(row)
    Chunk.objects.bulk_update(changed, ["detail", "is_enabled"], batch_size=_BATCH)


def _row(document: Document, again: Reapplying, key: str) -> Correction:
    """Return another correction for what one says in several passages now."""
    of = again.corrections[key]
    return Correction(
        space_id=document.space_id,
        document=document,
        state=CorrectionState.LOST,
        updated_by_id=of.updated_by_id,
    )


def _take_place(
    again: Reapplying, row: Correction, chunk: Chunk, index: int, *, was: UUID | None
) -> None:
    """Say the correction in terms of its passage; a revision tells when that is new."""
    passage, draft = again.plan.passages[index], again.plan.passages[index].draft
    says = (passage.read, draft.text, chunk.is_enabled)
    is_same = says == (row.original_text, row.text, row.is_enabled)
    moved = not is_same or row.state == CorrectionState.LOST or was != chunk.pk
    row.original_text, row.text, row.is_enabled = says
    row.before = again.text[max(0, draft.char_start - CONTEXT_CHARACTERS) : draft.char_start]
    row.after = again.text[draft.char_end : draft.char_end + CONTEXT_CHARACTERS]
    row.heading_path, row.page = list(draft.heading_path), draft.page_from
    row.chunk, row.state = chunk, CorrectionState.APPLIED
    row.save()
    if moved:
        add_revision(row, kind=RevisionKind.REANCHOR, author_id=None)


def _settle_rest(again: Reapplying, rows: Sequence[Chunk], owners: set[str]) -> None:
    """Write where corrections stand that no passage keeps for itself."""
    taken = set(again.plan.held)
    for key, row in again.corrections.items():
        if key in owners:
            continue
        row.chunk = None
        if key in again.plan.lost:
            row.state = CorrectionState.LOST
        elif key in again.plan.said:
            index = again.plan.said[key]
            row.state = CorrectionState.APPLIED
            row.chunk = None if index in taken else rows[index]
            taken.add(index)
        else:  # another correction of the same passage says it, too, from now on
            row.state = CorrectionState.WITHDRAWN
            row.chunk = next((rows[i] for i, held in again.plan.held.items() if key in held), None)
        row.save(update_fields=["state", "chunk", "updated_at"])
