"""Keeps the section of a passage saying what its passages say."""

from __future__ import annotations

from knowledge.constants import ChunkKind
from knowledge.corrections.hunks import Hunk, apply_hunks, hunks_of
from knowledge.corrections.rows import around_of, detail_with, hash_of, read_text
from knowledge.models import Chunk


def patch_section(chunk: Chunk) -> None:
    """Make the text of a passage's section anew from what was read and what people changed."""
    if chunk.parent_id is None:
        return
    section = Chunk.objects.select_for_update().get(pk=chunk.parent_id)
    children = Chunk.objects.filter(parent=section, kind=ChunkKind.TEXT).order_by("position")
    read, around = read_text(section), around_of(section)
    changes: list[Hunk] = []
    place = 0
    for child in children:
        for hunk in _moved(child, section, around[0]):
            if hunk.start >= place and hunk.end <= len(read):  # what two share is changed once
                changes.append(hunk)
                place = hunk.end
    section.text = apply_hunks(read, changes)
    section.content_hash = hash_of(section.text)
    section.detail = detail_with(section, read=read, around=around)
    section.save(update_fields=["text", "content_hash", "detail"])


def _moved(child: Chunk, section: Chunk, head: int) -> list[Hunk]:
    """Return what was changed in a passage, in places of its section's text."""
    own = around_of(child)[0]
    move = child.char_start - section.char_start + head - own
    return [
        Hunk(start=hunk.start + move, end=hunk.end + move, text=hunk.text)
        for hunk in hunks_of(read_text(child), child.text)
        if hunk.start >= own
    ]
