"""The pages of bases, and what people do on them, through the whole of a request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from knowledge.base_settings import base_settings_of
from knowledge.constants import BaseKind, DocumentSource, DocumentState
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.services import create_entry
from knowledge.models import BaseMark, Document, Folder, KnowledgeBase, Tag
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def shelf(cora: Persona) -> Iterator[KnowledgeBase]:
    with cora.scope():
        yield make_base(cora.space, name="Shelf", created_by=cora.user)


def get(person: Persona, name: str, /, *args: Any, status: int = 200, **query: Any) -> str:
    response = person.client.get(reverse(name, args=args), query)
    assert response.status_code == status, response.content[:500]
    return response.content.decode()


def post(person: Persona, name: str, /, *args: Any, status: int = 302, **data: Any) -> Any:
    response = person.client.post(reverse(name, args=args), data)
    assert response.status_code == status, response.content.decode()[-3000:]
    return response


def test_pinned_bases_come_first_and_favourites_next(cora: Persona) -> None:
    with cora.scope():
        made = {name: make_base(cora.space, name=name) for name in ("Alpha", "Beta", "Gamma")}
    post(cora, "base_mark", made["Gamma"].pk, kind="pin")
    post(cora, "base_mark", made["Beta"].pk, kind="favourite")
    page = get(cora, "bases")
    assert page.index("Gamma") < page.index("Beta") < page.index("Alpha")
    assert "Alpha" not in get(cora, "bases", show="pin")
    post(cora, "base_mark", made["Gamma"].pk, kind="pin")
    with cora.scope():
        assert BaseMark.objects.count() == 1


def test_card_of_questions_and_answers_counts_its_entries(cora: Persona) -> None:
    with cora.scope():
        base = make_base(cora.space, name="Answers", kind=BaseKind.FAQ, created_by=cora.user)
        for number in range(2):
            draft = EntryDraft(standard_question=f"Where is {number}?", answers=("There.",))
            create_entry(cora.actor, base_id=base.pk, draft=draft)
    card = get(cora, "bases").partition("Answers")[2]
    assert "2 questions and answers" in card
    assert "document" not in card.partition("</article>")[0]


def test_base_of_questions_and_answers_is_made(cora: Persona) -> None:
    with cora.scope():
        make_model(cora.space, type="embedding", is_default=True)
    post(cora, "base_new", name="Answers", kind="faq")
    with cora.scope():
        assert KnowledgeBase.objects.get().kind == BaseKind.FAQ


def test_folder_is_made_shown_renamed_and_deleted(cora: Persona, shelf: KnowledgeBase) -> None:
    make_document(shelf, name="a.txt", folder_path="Law")
    post(cora, "base_folders", shelf.pk, action="create", path="Law", name="Cases")
    page = get(cora, "base", shelf.pk, folder="Law")
    assert "Cases" in page
    post(cora, "base_folders", shelf.pk, action="move", path="Law", name="Legal")
    assert Document.objects.get().folder_path == "Legal"
    post(cora, "base_folders", shelf.pk, action="delete", path="Legal")
    assert Document.objects.get().trashed_at is not None
    assert not Folder.objects.exists()


def test_refused_folder_is_told_on_the_page(cora: Persona, shelf: KnowledgeBase) -> None:
    post(cora, "base_folders", shelf.pk, action="create", path="", name="Law")
    response = cora.client.post(
        reverse("base_folders", args=[shelf.pk]), {"action": "create", "name": "Law"}, follow=True
    )
    assert "is already a folder" in response.content.decode()


def test_filters_narrow_the_table(cora: Persona, shelf: KnowledgeBase) -> None:
    make_document(shelf, name="lamp.txt", metadata={"place": "pier"})
    make_document(shelf, name="rope.txt", state=DocumentState.FAILED)
    page = get(cora, "base", shelf.pk, state="failed")
    assert "rope.txt" in page
    assert "lamp.txt" not in page
    page = get(cora, "base", shelf.pk, field="place", value="pier")
    assert "lamp.txt" in page
    assert "rope.txt" not in page


def test_chosen_documents_go_to_the_trash_and_back(cora: Persona, shelf: KnowledgeBase) -> None:
    ids = [str(make_document(shelf, name=f"{number}.txt").pk) for number in range(3)]
    post(cora, "base_bulk", shelf.pk, action="trash", document=ids[:2])
    page = get(cora, "base", shelf.pk)
    assert "2 documents are in the trash." in page
    assert "in the trash." not in get(cora, "base", shelf.pk)
    assert "0.txt" in get(cora, "base_trash", shelf.pk)
    post(cora, "base_trash", shelf.pk, action="restore", document=ids[:2])
    assert not Document.objects.filter(trashed_at__isnull=False).exists()


def test_all_that_match_are_meant(cora: Persona, shelf: KnowledgeBase) -> None:
    for number in range(3):
        make_document(shelf, name=f"{number}.txt", folder_path="Law" if number else "")
    post(cora, "base_bulk", shelf.pk, action="trash", all="1", query="folder=Law&sort=name")
    assert Document.objects.filter(trashed_at__isnull=True).get().name == "0.txt"


def test_what_was_left_is_named(cora: Persona, shelf: KnowledgeBase) -> None:
    busy = make_document(shelf, name="busy.txt", state=DocumentState.PROCESSING)
    response = cora.client.post(
        reverse("base_bulk", args=[shelf.pk]),
        {"action": "retry", "document": [str(busy.pk)]},
        follow=True,
    )
    assert "busy.txt: It is being read already." in response.content.decode()


def test_tags_are_made_changed_ordered_and_deleted(cora: Persona, shelf: KnowledgeBase) -> None:
    for name in ("Red", "Blue"):
        post(cora, "base_tags", shelf.pk, action="create", name=name, color="")
    blue = Tag.objects.get(name="Blue")
    post(cora, "base_tags", shelf.pk, action="up", tag=blue.pk)
    post(cora, "base_tags", shelf.pk, action="change", tag=blue.pk, name="Azure", color="info")
    assert [tag.name for tag in Tag.objects.all()] == ["Azure", "Red"]
    page = post(cora, "base_tags", shelf.pk, action="create", name="azure", color="", status=422)
    assert "is already a tag" in page.content.decode()
    post(cora, "base_tags", shelf.pk, action="delete", tag=blue.pk)
    assert Tag.objects.count() == 1


def test_details_are_saved_with_their_kinds(cora: Persona, shelf: KnowledgeBase) -> None:
    document = make_document(shelf, name="a.txt")
    tag = Tag.objects.create(space_id=shelf.space_id, base=shelf, name="Red")
    post(
        cora,
        "document_details",
        document.pk,
        name="b.txt",
        owner=cora.user.pk,
        review_by="2027-01-31",
        tag=[tag.pk],
        key=["place", "floor", "open", "code", ""],
        value=["pier", "7", "yes", "007", ""],
    )
    document.refresh_from_db()
    assert document.metadata == {"place": "pier", "floor": 7, "open": True, "code": "007"}
    page = get(cora, "document_details", document.pk)
    for shown in ("b.txt", "2027-01-31", "pier", "Red"):
        assert shown in page
    post(cora, "document_details", document.pk, name="b.txt", review_by="soon", status=422)


def test_version_is_uploaded_listed_and_brought_back(cora: Persona, shelf: KnowledgeBase) -> None:
    added = cora.client.post(
        reverse("base_upload", args=[shelf.pk]),
        {"file": SimpleUploadedFile("a.txt", b"One.")},
        headers={"accept": "application/json"},
    )
    document = Document.objects.get(pk=added.json()["id"])
    Document.objects.filter(pk=document.pk).update(state=DocumentState.COMPLETED)
    file = SimpleUploadedFile("a.txt", b"Two.")
    post(cora, "document_versions", document.pk, file=file, note="Second")
    page = get(cora, "document_versions", document.pk)
    assert "Second" in page
    assert "Version 1" in page
    old = cora.client.get(reverse("document_version_file", args=[document.pk, 1]))
    assert b"".join(old) == b"One."
    Document.objects.filter(pk=document.pk).update(state=DocumentState.COMPLETED)
    assert "One." in get(cora, "document_diff", document.pk, 1, 2)
    post(cora, "document_versions", document.pk, back="1")
    post(cora, "document_versions", document.pk, status=422)


def test_draft_is_written_previewed_and_published(
    cora: Persona, victor: Persona, shelf: KnowledgeBase
) -> None:
    post(cora, "base_text", shelf.pk, title="Keys", text="# Keys\n\nRed.")
    document = Document.objects.get()
    assert document.is_draft
    assert "Draft" in get(cora, "base", shelf.pk)
    get(victor, "document", document.pk, status=404)
    preview = post(cora, "text_preview", text="# Keys", status=200)
    assert "<h1" in preview.content.decode()
    post(cora, "document_text", document.pk, title="Keys", text="Blue.", publish="1")
    document.refresh_from_db()
    assert (document.is_draft, document.state) == (False, DocumentState.PENDING)


def test_address_is_added_and_a_wrong_one_told(cora: Persona, shelf: KnowledgeBase) -> None:
    post(cora, "base_address", shelf.pk, url="https://pages.example.org/a")
    assert Document.objects.get().source == DocumentSource.URL
    page = post(cora, "base_address", shelf.pk, url="ftp://x.example.org/", status=422)
    assert "begins with https://" in page.content.decode()


def test_pasted_picture_is_known_as_one(cora: Persona, shelf: KnowledgeBase) -> None:
    post(
        cora,
        "base_upload",
        shelf.pk,
        file=SimpleUploadedFile("Pasted.png", b"\x89PNG\r\n\x1a\n"),
        source="paste",
        status=201,
    )
    assert Document.objects.get().source == DocumentSource.PASTE


def test_password_is_asked_for_kept_and_never_shown(cora: Persona, shelf: KnowledgeBase) -> None:
    document = make_document(shelf, name="locked.pdf", state=DocumentState.NEEDS_INPUT)
    assert "Password of the file" in get(cora, "document", document.pk)
    post(cora, "document_password", document.pk, password="s3cret-lamp")
    document.refresh_from_db()
    assert (document.password, document.state) == ("s3cret-lamp", DocumentState.PENDING)
    assert "s3cret-lamp" not in get(cora, "document", document.pk)
    assert "s3cret-lamp" not in get(cora, "document_activity", document.pk)


def test_settings_of_a_base_are_a_typed_form(cora: Persona, shelf: KnowledgeBase) -> None:
    page = get(cora, "base_settings", shelf.pk)
    assert "Characters of a passage" in page
    post(cora, "base_settings", shelf.pk, name="Shelf", split_size_characters="900")
    shelf.refresh_from_db()
    assert base_settings_of(shelf).split.size_characters == 900
    post(cora, "base_settings", shelf.pk, name="Shelf", split_size_characters="9", status=422)


def test_document_differs_from_its_base_only_where_said(
    cora: Persona, shelf: KnowledgeBase
) -> None:
    document = make_document(shelf, name="a.txt")
    before = base_settings_of(shelf).split
    post(
        cora,
        "document_settings",
        document.pk,
        split_size_characters="700",
        split_overlap_characters=str(before.overlap_characters),
    )
    document.refresh_from_db()
    assert document.processing["split"]["size_characters"] == 700
    assert "overlap_characters" not in document.processing["split"]
    assert "retrieval" not in document.processing


def test_viewer_sees_no_way_to_change(victor: Persona, shelf: KnowledgeBase) -> None:
    document = make_document(shelf, name="a.txt", folder_path="Law")
    page = get(victor, "base", shelf.pk)
    for hidden in ("data-bulk-one", "new-folder", 'id="upload"', "base_trash"):
        assert hidden not in page
    get(victor, "base_trash", shelf.pk, status=403)
    assert "disabled" in get(victor, "document_details", document.pk)


def test_table_of_fifty_takes_no_query_for_each(
    cora: Persona, shelf: KnowledgeBase, django_assert_max_num_queries: Any
) -> None:
    for number in range(50):
        make_document(shelf, name=f"{number}.txt", owner=cora.user)
    with django_assert_max_num_queries(60):
        get(cora, "base", shelf.pk)
