"""Pictures are kept, read, described and found, each once, and go with their document."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.storage import default_storage

from accounts.models import StorageUse
from agents.engine.testing import ScriptedModel, say
from knowledge.constants import ChunkKind, DocumentState, StageName, StageState
from knowledge.enrich import asking
from knowledge.models import Chunk, Document, DocumentPicture, KnowledgeBase, Stage
from knowledge.organising.trash import trash_document
from knowledge.pictures import keeping
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.services.documents import retry_document
from knowledge.services.removal import remove_document, remove_later
from knowledge.storage import names_below
from providers.constants import ModelType
from tests.factories.providers import make_model
from tests.knowledge.enrich.conftest import add, enrich, read
from tests.knowledge.pictures import files
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
LAMP, CHART = files.drawing("Lamp"), files.drawing("Chart")
FILE = files.markdown_file(("A lamp", LAMP), ("", CHART))


def kept_files() -> list[str]:
    """Return the names of all pictures in the store."""
    return [name for name in names_below(default_storage, "spaces") if "/pictures/" in name]


def stage_of(document: Document) -> Stage:
    """Return the stage of the pictures."""
    return Stage.objects.get(document=document, attempt=document.attempt, name=StageName.PICTURES)


def test_text_is_found_before_pictures_are_fetched(olivia: Persona, base: KnowledgeBase) -> None:
    document = read(add(olivia, base, FILE))
    assert document.state == DocumentState.COMPLETED
    assert DocumentPicture.objects.count() == 0
    assert stage_of(document).state == StageState.WAITING


def test_pictures_are_kept_with_their_words(olivia: Persona, base: KnowledgeBase) -> None:
    enrich(read(add(olivia, base, FILE)))
    rows = DocumentPicture.objects.order_by("alternative_text")
    assert [(row.alternative_text, row.width, row.height) for row in rows] == [
        ("", 300, 160),
        ("A lamp", 300, 160),
    ]
    assert len(kept_files()) == 2


def test_what_is_written_in_a_picture_finds_its_passage(
    olivia: Persona, base: KnowledgeBase, said: list[str]
) -> None:
    said += ["Zanzibar quarterly turnover", ""]
    document = enrich(read(add(olivia, base, FILE)))
    child = Chunk.objects.get(kind=ChunkKind.PICTURE_TEXT)
    hits = retrieve(olivia.actor, query="Zanzibar turnover", scope=Scope(base_ids=(base.pk,))).hits
    assert [hit.chunk_id for hit in hits] == [child.parent_id]
    assert child.picture_id is not None
    assert child.embeddings.exists()
    assert document.state == DocumentState.COMPLETED


def test_a_hit_says_the_words_and_shows_the_reference_only_to_people(
    olivia: Persona, base: KnowledgeBase
) -> None:
    enrich(read(add(olivia, base, FILE)))
    (hit,) = retrieve(olivia.actor, query="lamp pier", scope=Scope(base_ids=(base.pk,))).hits
    assert "A lamp" in hit.text
    assert "picture:" not in hit.text + hit.context
    assert "](picture:" in hit.marked_text


def test_without_a_vision_model_the_timeline_says_so(olivia: Persona, base: KnowledgeBase) -> None:
    document = enrich(read(add(olivia, base, FILE)))
    stage = stage_of(document)
    assert stage.state == StageState.DONE
    assert "vision model" in stage.detail["undescribed"]


def test_a_vision_model_describes_pictures(
    olivia: Persona, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_model(olivia.space, type=ModelType.VISION, is_default=True, name="Seeing")
    model = ScriptedModel([say("A lighthouse lamp in teal."), say("NOTHING")])
    monkeypatch.setattr(asking, "get_chat_model", lambda _: model)
    enrich(read(add(olivia, base, FILE)))
    captions = sorted(DocumentPicture.objects.values_list("caption", flat=True))
    assert captions == ["", "A lighthouse lamp in teal."]
    asked = model.asked[0][-1]
    assert asked.images[0].media_type == "image/webp"
    assert "picture:" not in asked.content
    child = Chunk.objects.get(kind=ChunkKind.PICTURE_CAPTION)
    assert child.text == "A lighthouse lamp in teal."


def test_a_second_run_makes_nothing_twice(
    olivia: Persona, base: KnowledgeBase, said: list[str]
) -> None:
    said += ["Alpha words", "Beta words"]
    document = enrich(read(add(olivia, base, FILE)))
    before = set(Chunk.objects.values_list("pk", flat=True))
    retry_document(olivia.actor, document_id=document.pk)
    enrich(read(document))
    assert set(Chunk.objects.values_list("pk", flat=True)) == before
    assert len(kept_files()) == 2


def test_many_pictures_take_several_jobs(
    olivia: Persona, base: KnowledgeBase, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.pictures.enrichment.PICTURES_A_JOB", 1)
    said += ["Alpha words", "Beta words"]
    document = enrich(read(add(olivia, base, FILE)))
    assert Chunk.objects.filter(kind=ChunkKind.PICTURE_TEXT).count() == 2
    assert stage_of(document).state == StageState.DONE


def test_only_so_many_pictures_are_kept(
    olivia: Persona, base: KnowledgeBase, settings: Any
) -> None:
    settings.MOST_PICTURES = 1
    enrich(read(add(olivia, base, FILE)))
    assert DocumentPicture.objects.count() == 1


def test_pictures_count_towards_the_quota_until_they_go(
    olivia: Persona, base: KnowledgeBase
) -> None:
    document = enrich(read(add(olivia, base, FILE)))
    used = StorageUse.objects.get(space_id=olivia.space.pk).used_bytes
    sizes = sum(DocumentPicture.objects.values_list("size_bytes", flat=True))
    assert used == document.size_bytes + sizes
    remove_later(document)
    remove_document(document.pk)
    assert StorageUse.objects.get(space_id=olivia.space.pk).used_bytes == 0
    assert kept_files() == []


def test_a_picture_of_two_documents_stays_with_the_second(
    olivia: Persona, base: KnowledgeBase
) -> None:
    first = enrich(read(add(olivia, base, FILE)))
    second = add(olivia, base, files.markdown_file(("A lamp", LAMP)), "second.md")
    enrich(read(second))
    remove_later(first)
    remove_document(first.pk)
    assert len(kept_files()) == 1
    assert DocumentPicture.objects.get().document_id == second.pk


def test_what_another_reading_lost_goes(olivia: Persona, base: KnowledgeBase) -> None:
    document = enrich(read(add(olivia, base, FILE)))
    lost = DocumentPicture.objects.get(alternative_text="A lamp")
    keeping.forget_pictures([lost])
    assert DocumentPicture.objects.count() == 1
    assert len(kept_files()) == 1
    assert document.chunks.count() >= 1


def test_a_full_space_keeps_no_pictures_and_says_why(olivia: Persona, base: KnowledgeBase) -> None:
    document = read(add(olivia, base, FILE))
    olivia.space.storage_quota_bytes = document.size_bytes + 10
    olivia.space.save()
    enrich(document)
    assert stage_of(document).state == StageState.FAILED
    assert Document.objects.get(pk=document.pk).state == DocumentState.COMPLETED


def test_the_trash_stops_it(olivia: Persona, base: KnowledgeBase) -> None:
    document = read(add(olivia, base, FILE))
    trash_document(olivia.actor, document_id=document.pk)
    enrich(document)
    assert DocumentPicture.objects.count() == 0
