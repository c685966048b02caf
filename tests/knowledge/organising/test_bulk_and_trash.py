from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts.models import AuditEvent, StorageUse
from accounts.services.quota import recount
from core.errors import AccessDenied, Invalid, NotFound
from core.jobs.work import work
from core.models import BackgroundJob, JobState
from knowledge.access.restrict import Place, restrict
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, DocumentTag
from knowledge.organising.bulk import (
    Selection,
    move_to_folder,
    read_all_again,
    tag_documents,
    trash_documents,
)
from knowledge.organising.filters import DocumentFilter
from knowledge.organising.nightly import begin_emptying
from knowledge.organising.tags import create_tag
from knowledge.organising.trash import (
    list_trash,
    remove_from_trash,
    restore_documents,
    trash_document,
)
from knowledge.queries import base_counts, get_document, list_chunks, list_documents
from tests.factories.knowledge import make_document
from tests.knowledge.organising.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def these(shelf: Shelf, *documents: Document) -> Selection:
    return Selection(base_id=shelf.base.pk, document_ids=tuple(each.pk for each in documents))


def test_tags_go_on_and_off_many(cora: Persona, shelf: Shelf) -> None:
    red = create_tag(cora.actor, base_id=shelf.base.pk, name="Red")
    blue = create_tag(cora.actor, base_id=shelf.base.pk, name="Blue")
    both = these(shelf, shelf.root, shelf.inner)
    assert len(tag_documents(cora.actor, both, add=[red.pk]).done) == 2
    tag_documents(cora.actor, both, add=[blue.pk], remove=[red.pk])
    assert {row.tag_id for row in DocumentTag.objects.all()} == {blue.pk}
    with pytest.raises(Invalid):
        tag_documents(cora.actor, both)


def test_all_that_a_filter_shows_are_meant(cora: Persona, shelf: Shelf) -> None:
    wanted = Selection(base_id=shelf.base.pk, filter=DocumentFilter(folder="Law"))
    assert set(trash_documents(cora.actor, wanted).done) == {shelf.outer.pk, shelf.inner.pk}


def test_documents_moved_to_a_restricted_folder_are_closed_at_once(
    cora: Persona, victor: Persona, shelf: Shelf
) -> None:
    restrict(cora.actor, Place(base_id=shelf.base.pk, folder_path="Law"), user_ids=[], group_ids=[])
    move_to_folder(cora.actor, these(shelf, shelf.root), folder_path="Law")
    with pytest.raises(NotFound):
        get_document(victor.actor, shelf.root.pk)
    move_to_folder(cora.actor, these(shelf, shelf.root), folder_path="")
    assert get_document(victor.actor, shelf.root.pk).folder_path == ""


def test_what_is_being_read_is_not_read_again_and_named(cora: Persona, shelf: Shelf) -> None:
    busy = make_document(shelf.base, name="busy.txt", state=DocumentState.PROCESSING)
    draft = make_document(shelf.base, name="draft.md", is_draft=True)
    result = read_all_again(cora.actor, these(shelf, shelf.root, busy, draft))
    assert result.done == (shelf.root.pk,)
    assert {each.name for each in result.refused} == {"busy.txt", "draft.md"}
    shelf.root.refresh_from_db()
    assert (shelf.root.attempt, shelf.root.state) == (2, DocumentState.PENDING)


def test_viewer_and_stranger_do_nothing_to_many(
    victor: Persona, mallory: Persona, shelf: Shelf
) -> None:
    with pytest.raises(AccessDenied):
        trash_documents(victor.actor, these(shelf, shelf.root))
    with mallory.scope(), pytest.raises(NotFound):
        trash_documents(mallory.actor, these(shelf, shelf.root))


def test_trashed_document_is_found_by_nobody(
    olivia: Persona, cora: Persona, victor: Persona, shelf: Shelf
) -> None:
    trash_document(cora.actor, document_id=shelf.root.pk)
    for person in (olivia, cora, victor):
        with pytest.raises(NotFound):
            get_document(person.actor, shelf.root.pk)
        assert base_counts(person.actor, shelf.base.pk).documents == 2
        assert not list_chunks(person.actor, shelf.root.pk).exists()
    assert [each.pk for each in list_trash(cora.actor, shelf.base.pk)] == [shelf.root.pk]
    assert not list_trash(victor.actor, shelf.base.pk).exists()


def test_restored_document_is_as_it_was(cora: Persona, victor: Persona, shelf: Shelf) -> None:
    tag = create_tag(cora.actor, base_id=shelf.base.pk, name="Red")
    tag_documents(cora.actor, these(shelf, shelf.inner), add=[tag.pk])
    done = trash_documents(cora.actor, these(shelf, shelf.inner)).done
    assert restore_documents(cora.actor, base_id=shelf.base.pk, document_ids=done) == 1
    found = get_document(victor.actor, shelf.inner.pk)
    assert (found.folder_path, found.state) == ("Law/Cases", DocumentState.COMPLETED)
    assert found.tag_rows.count() == 1
    assert Chunk.objects.filter(document=found).count() == 1


def test_restriction_set_meanwhile_holds_for_what_is_restored(
    cora: Persona, victor: Persona, shelf: Shelf
) -> None:
    trash_document(cora.actor, document_id=shelf.inner.pk)
    restrict(cora.actor, Place(base_id=shelf.base.pk, folder_path="Law"), user_ids=[], group_ids=[])
    restore_documents(cora.actor, base_id=shelf.base.pk, document_ids=[shelf.inner.pk])
    with pytest.raises(NotFound):
        get_document(victor.actor, shelf.inner.pk)


def test_reading_stops_in_the_trash(cora: Persona, shelf: Shelf) -> None:
    read_all_again(cora.actor, these(shelf, shelf.root))
    trash_document(cora.actor, document_id=shelf.root.pk)
    job = BackgroundJob.objects.get(name="knowledge.ingest_document")
    assert job.state == JobState.CANCELLED
    restore_documents(cora.actor, base_id=shelf.base.pk, document_ids=[shelf.root.pk])
    assert get_document(cora.actor, shelf.root.pk).state == DocumentState.CANCELLED


def test_parts_of_a_file_go_and_come_with_it(cora: Persona, shelf: Shelf) -> None:
    member = make_document(shelf.base, name="attached.txt", parent=shelf.root)
    trash_document(cora.actor, document_id=shelf.root.pk)
    assert [each.pk for each in list_trash(cora.actor, shelf.base.pk)] == [shelf.root.pk]
    restore_documents(cora.actor, base_id=shelf.base.pk, document_ids=[shelf.root.pk])
    assert get_document(cora.actor, member.pk).trashed_at is None


def test_trash_counts_for_the_quota_until_it_is_emptied(cora: Persona, shelf: Shelf) -> None:
    before = StorageUse.objects.get(space=cora.space).used_bytes
    trash_document(cora.actor, document_id=shelf.root.pk)
    assert StorageUse.objects.get(space=cora.space).used_bytes == before
    assert remove_from_trash(cora.actor, base_id=shelf.base.pk) == 1
    assert work("default")
    assert StorageUse.objects.get(space=cora.space).used_bytes == before - shelf.root.size_bytes
    assert recount(cora.space.pk) == 0
    assert not Document.objects.filter(pk=shelf.root.pk).exists()


def test_old_trash_goes_by_itself(cora: Persona, shelf: Shelf, settings: Any) -> None:
    settings.TRASH_DAYS = 30
    for document, days in ((shelf.root, 31), (shelf.inner, 29)):
        trash_document(cora.actor, document_id=document.pk)
        Document.objects.filter(pk=document.pk).update(
            trashed_at=timezone.now() - timedelta(days=days)
        )
    cache.delete("knowledge:trash")
    begin_emptying()
    assert work("default")
    assert work("default")
    assert list(Document.objects.order_by("name").values_list("name", flat=True)) == [
        "inner.txt",
        "outer.txt",
    ]
    key = f"spaces/{cora.space.pk}/files/{shelf.root.content_hash[:2]}/{shelf.root.content_hash}"
    assert not default_storage.exists(key)


def test_viewer_neither_restores_nor_ends(cora: Persona, victor: Persona, shelf: Shelf) -> None:
    trash_document(cora.actor, document_id=shelf.root.pk)
    with pytest.raises(AccessDenied):
        restore_documents(victor.actor, base_id=shelf.base.pk, document_ids=[shelf.root.pk])
    with pytest.raises(AccessDenied):
        remove_from_trash(victor.actor, base_id=shelf.base.pk)


def test_draft_is_seen_by_editors_alone(
    olivia: Persona, cora: Persona, victor: Persona, shelf: Shelf
) -> None:
    draft = make_document(shelf.base, name="draft.md", texts=["Not yet."], is_draft=True)
    for person in (olivia, cora):
        assert get_document(person.actor, draft.pk).is_draft
    assert draft.pk not in {each.pk for each in list_documents(victor.actor, shelf.base.pk)}
    assert not list_chunks(victor.actor, draft.pk).exists()


def test_each_bulk_is_one_event_with_its_number(cora: Persona, shelf: Shelf) -> None:
    trash_documents(cora.actor, these(shelf, shelf.root, shelf.inner))
    assert AuditEvent.objects.get(action="document.trash").details["documents"] == 2
