"""What is read with a passage that was found."""

from __future__ import annotations

import pytest

from knowledge.constants import ChunkKind
from knowledge.models import Chunk, KnowledgeBase
from knowledge.retrieval.expand import read_contexts
from knowledge.retrieval.grep import grep
from knowledge.retrieval.scope import Scope, Searched, resolve
from tests.factories.knowledge import make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db

PARTS = ["The first part.", "The second part.", "The third part."]


@pytest.fixture
def parts(base: KnowledgeBase) -> list[Chunk]:
    """Three passages, the first two of one section."""
    document = make_document(base, texts=PARTS)
    found = list(Chunk.objects.filter(document=document).order_by("position"))
    section = Chunk.objects.create(
        space_id=base.space_id,
        base_id=base.pk,
        document=document,
        document_revision=1,
        kind=ChunkKind.PARENT,
        position=0,
        text="The first part. The second part.",
        content_hash="0" * 64,
        char_start=0,
        char_end=32,
    )
    for part in found[:2]:
        part.parent = section
        part.save()
    return found


@pytest.fixture
def where(victor: Persona, base: KnowledgeBase) -> Searched:
    return resolve(victor.actor, Scope(base_ids=(base.pk,)))


def test_a_part_hands_over_its_section_once(where: Searched, parts: list[Chunk]) -> None:
    contexts = read_contexts(where, [parts[1], parts[0]])
    assert contexts == {parts[1].pk: "The first part. The second part."}


def test_a_section_that_is_switched_off_is_not_read(where: Searched, parts: list[Chunk]) -> None:
    Chunk.objects.filter(kind=ChunkKind.PARENT).update(is_enabled=False)
    assert read_contexts(where, [parts[0]]) == {}


def test_a_short_passage_without_a_section_has_its_neighbours(
    where: Searched, parts: list[Chunk]
) -> None:
    assert read_contexts(where, [parts[2]]) == {parts[2].pk: "The second part.\n\nThe third part."}


def test_a_pattern_finds_the_part_and_not_its_section(
    victor: Persona, base: KnowledgeBase, parts: list[Chunk]
) -> None:
    assert grep(victor.actor, pattern="first", scope=Scope(base_ids=(base.pk,))) == [parts[0]]
