"""What a new reading of a document becomes with the corrections of earlier ones. Rows come later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from knowledge.corrections.anchor import Anchor, Found, find_anchor
from knowledge.corrections.hunks import Hunk
from knowledge.corrections.placing import Passage, put_into, touched
from knowledge.corrections.reading import Reading
from knowledge.ingest.places import ChunkDraft

_OFF_FROM = 0.5
"""A passage is off when at least so much of it was; so much of what was off must be so again."""


@dataclass(kw_only=True)
class Plan:
    """The passages of a new reading with what people said about them."""

    passages: list[Passage]
    parents: list[Passage]
    off: set[int] = field(default_factory=set)
    """Indexes of passages that are not to be used."""
    held: dict[int, list[str]] = field(default_factory=dict)
    """By passage, the corrections that are to be kept with it, the oldest first."""
    said: dict[str, int] = field(default_factory=dict)
    """Corrections that the reading agrees with, and the passages in which it does."""
    lost: set[str] = field(default_factory=set)

    @property
    def drafts(self) -> list[ChunkDraft]:
        """The passages to store."""
        return [passage.draft for passage in self.passages]

    @property
    def sections(self) -> list[ChunkDraft]:
        """The parents to store."""
        return [passage.draft for passage in self.parents]


def plan_reading(
    text: str,
    drafts: Sequence[ChunkDraft],
    *,
    parents: Sequence[ChunkDraft] = (),
    anchors: Sequence[Anchor],
    check: Callable[[], None] = lambda: None,
) -> Plan:
    """Return the passages of a reading with the corrections in their places.

    Args:
        text: what was read.
        drafts: its passages.
        parents: its sections.
        anchors: the corrections, the oldest first; of two about the same words the newer counts.
        check: called for each correction; raises to stop.
    """
    found = _find_all(text, drafts, anchors, check)
    lost = {anchor.key for anchor in anchors} - set(found)
    kept, beaten = _without_conflicts(found)
    for key in beaten:
        del found[key]
    passages = put_into(text, drafts, kept)
    sections, parent_of = _sections(text, parents, kept)
    passages = [replace(p, draft=_in_section(p.draft, parent_of)) for p in passages]
    plan = Plan(passages=passages, parents=sections, lost=lost | beaten)
    by_key = {anchor.key: anchor for anchor in anchors}
    for key, place in found.items():
        if place.hunks:
            _hold(plan, key, place)
        elif by_key[key].is_enabled and by_key[key].text != by_key[key].original:
            plan.said[key] = _index_at(plan, place.start)
        if not by_key[key].is_enabled and not _switch_off(plan, text, key, place):
            plan.lost.add(key)
    return plan


def _find_all(
    text: str, drafts: Sequence[ChunkDraft], anchors: Sequence[Anchor], check: Callable[[], None]
) -> dict[str, Found]:
    reading = Reading(text)

    def page_of(place: int) -> int | None:
        return next((d.page_from for d in drafts if d.char_start <= place < d.char_end), None)

    found: dict[str, Found] = {}
    for anchor in anchors:
        check()
        place = find_anchor(anchor, reading, page_of=page_of)
        if place is not None:
            found[anchor.key] = place
    return found


def _without_conflicts(found: dict[str, Found]) -> tuple[list[Hunk], set[str]]:
    """Return the hunks that are put in, in order, and the corrections that gave way to newer ones."""
    kept: list[Hunk] = []
    beaten: set[str] = set()
    for key, place in reversed(found.items()):
        joined = _joined_with(kept, place.hunks)
        if joined is None:
            beaten.add(key)
        else:
            kept = joined
    return sorted(kept), beaten


def _joined_with(kept: Sequence[Hunk], more: Sequence[Hunk]) -> list[Hunk] | None:
    made = list(kept)
    for hunk in more:
        for other in [h for h in made if h.start < hunk.end and hunk.start < h.end]:
            union = _union(other, hunk)
            if union is None:
                return None
            made.remove(other)
            hunk = union
        made.append(hunk)
    return made


def _union(one: Hunk, other: Hunk) -> Hunk | None:
    """Return two hunks that say the same of a stretch as one; None when they say different things."""
    if one == other:
        return one
    start, end = min(one.start, other.start), max(one.end, other.end)
    if one.text == other.text and one.start == other.start:
        return Hunk(start=start, end=end, text=one.text)
    first, second = sorted((one, other))
    if not second.text:
        return Hunk(start=start, end=end, text=first.text)
    return None


def _sections(
    text: str, parents: Sequence[ChunkDraft], hunks: Sequence[Hunk]
) -> tuple[list[Passage], dict[int, int]]:
    made = put_into(text, parents, hunks)
    parent_of: dict[int, int] = {}
    for parent in parents:
        for passage in made:
            draft = passage.draft
            if draft.char_start <= parent.char_start < draft.char_end:
                parent_of.setdefault(parent.index, draft.index)
    return made, parent_of


def _in_section(draft: ChunkDraft, parent_of: dict[int, int]) -> ChunkDraft:
    return draft if draft.parent is None else replace(draft, parent=parent_of.get(draft.parent))


def _hold(plan: Plan, key: str, place: Found) -> None:
    """Keep the correction with each passage that it changes by more than a repetition."""
    before = 0
    for passage in plan.passages:
        own = [h for h in touched(passage.draft, place.hunks) if h.end > before]
        if own and passage.is_changed:
            plan.held.setdefault(passage.draft.index, []).append(key)
        before = max(before, passage.draft.char_end)


def _switch_off(plan: Plan, text: str, key: str, place: Found) -> bool:
    """Switch off the passages that lie in the stretch; return whether that is most of it."""
    covered = 0
    indexes: list[int] = []
    for passage in plan.passages:
        draft = passage.draft
        start, end = max(draft.char_start, place.start), min(draft.char_end, place.end)
        inside = _signs(text[start:end]) if start < end else 0
        if inside and inside >= _OFF_FROM * _signs(text[draft.char_start : draft.char_end]):
            indexes.append(draft.index)
            covered += inside
    if covered < _OFF_FROM * _signs(text[place.start : place.end]):
        return False
    for index in indexes:
        plan.off.add(index)
        if key not in plan.held.setdefault(index, []):
            plan.held[index].append(key)
    return True


def _index_at(plan: Plan, place: int) -> int:
    last = 0
    for passage in plan.passages:
        if passage.draft.char_start <= place:
            last = passage.draft.index
    return last


def _signs(text: str) -> int:
    return sum(not character.isspace() for character in text)
