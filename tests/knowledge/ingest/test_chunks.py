"""Rows of passages and of the sections that they are parts of."""

from __future__ import annotations

import pytest

from knowledge.base_settings import SplitOptions
from knowledge.constants import ChunkKind
from knowledge.ingest.chunks import Replaced, replace_chunks
from knowledge.ingest.tiers import split_document
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.parsers.contract import Block, ParsedDocument
from knowledge.queries import list_chunks
from tests.factories.knowledge import make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db

WHOLE = SplitOptions(size_characters=300)
IN_PARTS = SplitOptions(parents=True, parent_characters=600, child_characters=120)


def chapter(number: int) -> str:
    return f"# Chapter {number}\n\n" + f"A sentence of chapter {number} stands here. " * 9


def stored(document: Document, options: SplitOptions, *chapters: int) -> Replaced:
    blocks = tuple(Block(markdown=chapter(number)) for number in chapters)
    made = split_document(ParsedDocument(blocks=blocks), options)
    return replace_chunks(document, made.chunks, revision=1, parents=made.parents)


def rows(document: Document, kind: ChunkKind) -> list[Chunk]:
    return list(Chunk.objects.filter(document=document, kind=kind).order_by("position"))


@pytest.fixture
def document(base: KnowledgeBase) -> Document:
    return make_document(base)


def test_parts_know_their_section(document: Document) -> None:
    stored(document, IN_PARTS, 1, 2, 3)
    sections = rows(document, ChunkKind.PARENT)
    parts = rows(document, ChunkKind.TEXT)
    assert [section.heading_path for section in sections] == [[f"Chapter {n}"] for n in (1, 2, 3)]
    assert len(parts) > 6
    for part in parts:
        section = next(each for each in sections if each.pk == part.parent_id)
        assert part.heading_path == section.heading_path
        assert section.char_start <= part.char_start < part.char_end <= section.char_end


def test_a_document_is_read_by_its_passages_without_the_sections(
    victor: Persona, document: Document
) -> None:
    stored(document, IN_PARTS, 1, 2)
    kinds = {chunk.kind for chunk in list_chunks(victor.actor, document.pk)}
    assert kinds == {ChunkKind.TEXT}


def test_what_did_not_change_keeps_its_rows_and_its_section(document: Document) -> None:
    stored(document, IN_PARTS, 1, 2, 3)
    before = {(row.kind, row.pk) for row in Chunk.objects.filter(document=document)}
    done = stored(document, IN_PARTS, 1, 2, 3)
    assert (done.added, done.removed) == (0, 0)
    assert {(row.kind, row.pk) for row in Chunk.objects.filter(document=document)} == before


def test_a_section_that_goes_takes_no_part_with_it_that_stays(document: Document) -> None:
    stored(document, IN_PARTS, 1, 2)
    parts = {row.pk for row in rows(document, ChunkKind.TEXT)}
    wider = IN_PARTS.model_copy(update={"parent_characters": 5_000})
    first = rows(document, ChunkKind.PARENT)[0]
    Chunk.objects.filter(pk=first.pk).update(content_hash="0" * 64)  # as if it were cut otherwise
    done = stored(document, wider, 1, 2)
    assert (done.kept, done.added, done.removed) == (len(parts), 0, 0)
    assert {row.pk for row in rows(document, ChunkKind.TEXT)} == parts
    assert first.pk not in {row.pk for row in rows(document, ChunkKind.PARENT)}


def test_without_sections_the_old_ones_are_removed(document: Document) -> None:
    stored(document, IN_PARTS, 1, 2)
    stored(document, WHOLE, 1, 2)
    assert rows(document, ChunkKind.PARENT) == []
    assert all(row.parent_id is None for row in rows(document, ChunkKind.TEXT))


def test_what_was_made_from_a_passage_stays_with_it(document: Document) -> None:
    stored(document, WHOLE, 1, 2)
    passage = rows(document, ChunkKind.TEXT)[0]
    question = Chunk.objects.create(
        space_id=passage.space_id,
        base_id=passage.base_id,
        document=document,
        document_revision=1,
        kind=ChunkKind.QUESTION,
        position=0,
        text="What?",
        content_hash="1" * 64,
        char_start=0,
        char_end=0,
        parent=passage,
    )
    stored(document, WHOLE, 1, 2, 3)
    assert Chunk.objects.get(pk=question.pk).parent_id == passage.pk
    stored(document, WHOLE, 3)
    assert not Chunk.objects.filter(pk=question.pk).exists()
