"""Puts changes of a document's text into the passages and sections that hold it."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowledge.corrections.hunks import Hunk, apply_hunks
from knowledge.ingest.places import ChunkDraft


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage as it was read, and with what people changed in it."""

    draft: ChunkDraft
    read: str
    """Its text without corrections."""

    @property
    def is_changed(self) -> bool:
        """Whether people changed its text."""
        return self.read != self.draft.text


def put_into(text: str, drafts: Sequence[ChunkDraft], hunks: Sequence[Hunk]) -> list[Passage]:
    """Return the drafts with the hunks in them.

    A hunk over several drafts stands in the one in which it begins; the others lose their part of
    what it replaces. One that loses all goes up into its neighbor, so that nothing of the document
    is without a passage. Repetitions (overlap, a table's head) are changed alike.

    Args:
        text: the document's.
        drafts: stretches of it, in their order.
        hunks: in places of the text, in order, without overlap.
    """
    if not hunks:
        return [Passage(draft=draft, read=draft.text) for draft in drafts]
    made = [_one(text, draft, hunks, _homeless(drafts, hunks)) for draft in drafts]
    return _without_empty(text, made)


def touched(draft: ChunkDraft, hunks: Sequence[Hunk]) -> list[Hunk]:
    """Return the hunks that replace something of the draft's stretch."""
    return [h for h in hunks if h.start < draft.char_end and h.end > draft.char_start]


def _homeless(drafts: Sequence[ChunkDraft], hunks: Sequence[Hunk]) -> dict[Hunk, int]:
    """Return, of hunks that begin between two drafts, the first one that they reach into."""
    starts = [draft.char_start for draft in drafts]
    found: dict[Hunk, int] = {}
    for hunk in hunks:
        place = bisect_right(starts, hunk.start) - 1
        inside = place >= 0 and any(
            draft.char_start <= hunk.start < draft.char_end for draft in drafts[: place + 1][-8:]
        )
        if not inside and place + 1 < len(drafts):
            found[hunk] = drafts[place + 1].index
    return found


def _one(text: str, draft: ChunkDraft, hunks: Sequence[Hunk], homeless: dict[Hunk, int]) -> Passage:
    local = [
        _local(draft, hunk, is_home=homeless.get(hunk) == draft.index)
        for hunk in touched(draft, hunks)
    ]
    local += _in_head(text, draft, hunks)
    if not local:
        return Passage(draft=draft, read=draft.text)
    changed = apply_hunks(draft.text, local)
    return Passage(draft=_with_text(draft, changed), read=draft.text)


def _local(draft: ChunkDraft, hunk: Hunk, *, is_home: bool) -> Hunk:
    start, end = max(hunk.start, draft.char_start), min(hunk.end, draft.char_end)
    begins = draft.char_start <= hunk.start < draft.char_end
    move = draft.prefix_length - draft.char_start
    return Hunk(start=start + move, end=end + move, text=hunk.text if begins or is_home else "")


def _in_head(text: str, draft: ChunkDraft, hunks: Sequence[Hunk]) -> list[Hunk]:
    """Return the hunks of what the draft repeats from above."""
    head = draft.text[: draft.prefix_length]
    place = text.rfind(head, 0, draft.char_start) if head else -1
    if place < 0:
        return []
    return [
        Hunk(start=h.start - place, end=h.end - place, text=h.text)
        for h in hunks
        if place <= h.start and h.end <= place + len(head)
    ]


def _with_text(draft: ChunkDraft, text: str) -> ChunkDraft:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return replace(draft, text=text, content_hash=digest)


def _without_empty(text: str, passages: Sequence[Passage]) -> list[Passage]:
    kept: list[Passage] = []
    waiting: list[Passage] = []
    for passage in passages:
        if not passage.draft.text[passage.draft.prefix_length :].strip():
            if kept:
                kept[-1] = _joined(text, kept[-1], passage)
            else:
                waiting.append(passage)
            continue
        for before in reversed(waiting):
            passage = _led(text, before, passage)
        waiting = []
        kept.append(passage)
    return [
        replace(passage, draft=replace(passage.draft, index=index))
        for index, passage in enumerate(kept)
    ]


def _joined(text: str, kept: Passage, gone: Passage) -> Passage:
    """Let a passage stand for the one behind it, of which nothing is left."""
    one, other = kept.draft, gone.draft
    end = max(one.char_end, other.char_end)
    pages = [page for page in (one.page_to, other.page_to) if page is not None]
    draft = replace(
        one,
        char_end=end,
        page_to=max(pages, default=None),
        box=one.box if one.page_from == other.page_to else None,
    )
    return Passage(draft=draft, read=kept.read + text[one.char_end : end])


def _led(text: str, gone: Passage, kept: Passage) -> Passage:
    """Let a passage stand for the one before it, of which nothing is left."""
    one, other = kept.draft, gone.draft
    start = min(one.char_start, other.char_start)
    head = kept.read[: one.prefix_length]
    draft = replace(one, char_start=start, page_from=other.page_from or one.page_from, box=None)
    body = kept.read[one.prefix_length :]
    return Passage(draft=draft, read=head + text[start : one.char_start] + body)
