from __future__ import annotations

import pytest

from accounts.models import StorageUse
from accounts.services.quota import recount
from core.errors import AccessDenied, Conflict, NotFound
from core.jobs.work import work
from knowledge.ingest import pipeline
from knowledge.models import Document, DocumentVersion
from knowledge.organising.tags import create_tag, set_document_tags
from knowledge.organising.versions import (
    diff_versions,
    go_back,
    list_versions,
    replace_document,
)
from knowledge.services.documents import delete_document
from knowledge.storage import open_file
from tests.knowledge.organising.conftest import Shelf
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())


def replace(person: Persona, document: Document, text: str, name: str = "new.txt") -> Document:
    return replace_document(
        person.actor, document_id=document.pk, name=name, content=text.encode(), note="Law of 2027"
    )


def used(person: Persona) -> int:
    return StorageUse.objects.get(space=person.space).used_bytes


def test_new_file_keeps_what_people_said(cora: Persona, shelf: Shelf) -> None:
    tag = create_tag(cora.actor, base_id=shelf.base.pk, name="Red")
    set_document_tags(cora.actor, document_id=shelf.inner.pk, tag_ids=[tag.pk])
    replace(cora, shelf.inner, "The safe is green.")
    assert work("ingest")
    shelf.inner.refresh_from_db()
    assert (shelf.inner.name, shelf.inner.folder_path) == ("inner.txt", "Law/Cases")
    assert shelf.inner.version == 2
    assert shelf.inner.tag_rows.count() == 1
    assert [each.text for each in shelf.inner.chunks.all()] == ["The safe is green."]
    found = [(each.number, each.note) for each in list_versions(cora.actor, shelf.inner)]
    assert found == [(2, "Law of 2027"), (1, "")]


def test_file_of_another_kind_brings_its_name(cora: Persona, shelf: Shelf) -> None:
    assert replace(cora, shelf.root, "# Doors", name="doors.md").name == "doors.md"


def test_old_text_is_found_until_the_new_one_is_there(cora: Persona, shelf: Shelf) -> None:
    replace(cora, shelf.root, "The door is shut.")
    shelf.root.refresh_from_db()
    assert shelf.root.searchable_at is not None
    assert [each.text for each in shelf.root.chunks.all()] == ["The door is open."]


def test_versions_are_compared(cora: Persona, shelf: Shelf) -> None:
    replace(cora, shelf.root, "The door is shut.")
    assert work("ingest")
    found = diff_versions(cora.actor, document_id=shelf.root.pk, old=1, new=2)
    (row,) = found.rows
    assert row.old is not None
    assert row.new is not None
    assert [piece.text for piece in row.old.pieces if piece.is_changed] == ["open"]
    assert [piece.text for piece in row.new.pieces if piece.is_changed] == ["shut"]


def test_way_back_is_a_new_version(cora: Persona, shelf: Shelf) -> None:
    replace(cora, shelf.root, "The door is shut.")
    assert work("ingest")
    go_back(cora.actor, document_id=shelf.root.pk, number=1)
    assert work("ingest")
    shelf.root.refresh_from_db()
    assert shelf.root.version == 3
    with open_file(cora.space.pk, shelf.root.content_hash) as content:
        assert content.read() == b"The door is open."
    with pytest.raises(Conflict):
        go_back(cora.actor, document_id=shelf.root.pk, number=3)


def test_same_file_and_a_document_being_read_are_refused(cora: Persona, shelf: Shelf) -> None:
    with pytest.raises(Conflict, match="byte for byte"):
        replace(cora, shelf.root, "The door is open.")
    replace(cora, shelf.root, "The door is shut.")
    with pytest.raises(Conflict, match="being read"):
        replace(cora, shelf.root, "The door is red.")


def test_viewer_and_stranger_replace_nothing(
    victor: Persona, mallory: Persona, shelf: Shelf
) -> None:
    with pytest.raises(AccessDenied):
        replace(victor, shelf.root, "Mine.")
    with mallory.scope(), pytest.raises(NotFound):
        replace(mallory, shelf.root, "Mine.")


def test_earlier_files_count_and_go_with_the_document(cora: Persona, shelf: Shelf) -> None:
    before = used(cora)
    old_hash = shelf.root.content_hash
    replace(cora, shelf.root, "Shut.")
    assert used(cora) == before + len("Shut.")
    assert recount(cora.space.pk) == 0
    assert work("ingest")
    delete_document(cora.actor, document_id=shelf.root.pk)
    assert work("default")
    assert used(cora) == before - len("The door is open.")
    assert recount(cora.space.pk) == 0
    assert not DocumentVersion.objects.exists()
    with pytest.raises(FileNotFoundError):
        open_file(cora.space.pk, old_hash)
