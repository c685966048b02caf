"""What a document says that a page was told before: by itself in another place, or by another document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from knowledge.text.pictures import without_references
from wiki.build.state import PageState
from wiki.build.values import Passage, Source
from wiki.text.sentences import split_sentences


def passages_moved_to(
    source: Source, state: PageState, kept: Mapping[str, tuple[UUID, ...]]
) -> frozenset[str]:
    """Return the hashes of passages to which kept sentences moved, with nothing else new in them."""
    before = {
        sentence.hash
        for supports in state.rests.values()
        for each in supports
        if each.document_id == source.document_id
        for sentence in split_sentences(without_references(each.text))
    }
    moved_to = {chunk_id for chunks in kept.values() for chunk_id in chunks}
    return frozenset(
        each.hash
        for each in source.passages
        if each.chunk_id in moved_to
        and all(sentence.hash in before for sentence in split_sentences(each.text))
    )


def repeated_in(
    source: Source, state: PageState, wanted: Sequence[Passage]
) -> dict[str, tuple[UUID, ...]]:
    """Return what rests on the same text in other documents, with the passages that have it here."""
    here = {each.hash: each.chunk_id for each in wanted}
    found: dict[str, tuple[UUID, ...]] = {}
    for text_hash, supports in state.rests.items():
        if any(each.document_id == source.document_id for each in supports):
            continue
        chunks = dict.fromkeys(here[each.hash] for each in supports if each.hash in here)
        if chunks:
            found[text_hash] = tuple(chunks)
    return found
