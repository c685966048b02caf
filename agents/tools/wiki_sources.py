"""What sentences that an agent writes rest on: the passages it names, if it has read them.

Passages are named in `source_refs`, for all new sentences, or behind a sentence like `[c3]`, for it
alone; such marks are taken out of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from accounts.access import Actor
from agents.engine.aliases import Aliases
from agents.engine.errors import ToolFailed
from knowledge.constants import DocumentSource
from knowledge.queries import get_chunks
from wiki.text.sentences import sentence_hash, split_sentences

_ONE: Final = r"c[1-9]\d{0,5}"
_MARKS: Final = rf"[ \t]*\[{_ONE}(?:\s*[,;]\s*{_ONE})*\]"
_MARK: Final = re.compile(_MARKS)
_BEHIND_END: Final = re.compile(rf"([.!?。！？]+)((?:{_MARKS})+)")
_ALIAS: Final = re.compile(_ONE)


def read_sources(
    actor: Actor,
    base_id: UUID,
    aliases: Aliases,
    *,
    text: str,
    before: str,
    source_refs: Sequence[str],
) -> tuple[str, dict[str, list[UUID]]]:
    """Return the text without marks, and what its new sentences rest on.

    `before` is the text in whose place it comes: a sentence that stood there keeps its sources.

    Raises:
        ToolFailed: a passage was not read in this run, is not for the person, or not of this base.
    """
    moved = _BEHIND_END.sub(lambda found: found[2] + found[1], text)
    plain = _MARK.sub("", moved)
    named = [_decode(each, aliases) for each in source_refs]
    old = {sentence.hash for sentence in split_sentences(before)}
    rests: dict[str, list[UUID]] = {}
    for sentence in split_sentences(moved):
        own = [_decode(each, aliases) for each in _marks_in(sentence.text)]
        name = sentence_hash(_MARK.sub("", sentence.text))
        chosen = own or ([] if name in old else named)
        if chosen:
            rests[name] = list(dict.fromkeys(chosen))
    _see_readable(actor, base_id, {each for ids in (named, *rests.values()) for each in ids})
    return plain, rests


def read_part(
    actor: Actor,
    base_id: UUID,
    aliases: Aliases,
    *,
    content: str,
    span: tuple[int, int],
    text: str,
    source_refs: Sequence[str],
) -> tuple[str, dict[str, list[UUID]]]:
    """Return a page's text with another part in it, and what the sentences of that rest on.

    A sentence of which only a part was worded anew rests on what it rested on, too: it is left to
    the page to inherit that where no passage is named.

    Raises:
        ToolFailed: as `read_sources` has it.
    """
    start, end = span
    written, _rests = read_sources(
        actor, base_id, aliases, text=text, before="", source_refs=source_refs
    )
    moved = _BEHIND_END.sub(lambda found: found[2] + found[1], text)
    marked = content[:start] + moved + content[end:]
    touched = [
        sentence
        for sentence in split_sentences(marked)
        if sentence.start < start + len(moved) and start < sentence.end
    ]
    named = [_decode(each, aliases) for each in source_refs]
    rests: dict[str, list[UUID]] = {}
    for sentence in touched:
        own = [_decode(each, aliases) for each in _marks_in(sentence.text)]
        if own or named:
            rests[sentence_hash(_MARK.sub("", sentence.text))] = list(dict.fromkeys(own or named))
    return content[:start] + written + content[end:], rests


def _marks_in(text: str) -> list[str]:
    return [each for found in _MARK.finditer(text) for each in _ALIAS.findall(found.group())]


def _decode(name: str, aliases: Aliases) -> UUID:
    """Return the passage; only what this run has read can be a source."""
    target = aliases.decode_id(name, kind="chunk")
    known = {each.target for each in aliases.sources.values() if each.kind == "chunk"}
    if target not in known:
        raise ToolFailed(
            f"{name!r} is no passage that was read here. Name passages like c3, as results do.",
            code="unknown_source",
        )
    return UUID(target)


def _see_readable(actor: Actor, base_id: UUID, chunk_ids: set[UUID]) -> None:
    found = {
        chunk.pk
        for chunk in get_chunks(actor, list(chunk_ids))
        if chunk.base_id == base_id and chunk.document.source != DocumentSource.WIKI
    }
    if chunk_ids - found:
        raise ToolFailed(
            "Some of these passages cannot be a source here: a page rests on documents of its own"
            " base. Read the source document and name its passages.",
            code="unknown_source",
        )
