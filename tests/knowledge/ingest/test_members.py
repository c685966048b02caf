"""Files inside of files become documents: folders, depth, walls, a second run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from core.jobs.work import work
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.access.fit import raise_walls_of
from knowledge.constants import DocumentSource, DocumentState
from knowledge.ingest import pipeline
from knowledge.jobs import ADD_MEMBERS
from knowledge.models import Document, DocumentWall, KnowledgeBase, Restriction
from knowledge.services import members
from knowledge.services.documents import add_document, retry_document
from tests.factories.knowledge import make_base
from tests.knowledge.ingest.hostile import container
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
FILES: dict[str, str | bytes] = {
    "lamp.md": "# Lamps\n\nThe lamp burns all night.",
    "deep/rope.txt": "Ropes hang in the store.",
}


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    made = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield made


def add(olivia: Persona, base: KnowledgeBase, content: bytes, name: str) -> Document:
    document = add_document(
        olivia.actor, base_id=base.pk, name=name, content=content, folder_path="in"
    )
    while work("ingest"):
        pass
    document.refresh_from_db()
    return document


def test_each_file_of_an_archive_is_a_document_below_it(
    olivia: Persona, base: KnowledgeBase
) -> None:
    archive = add(olivia, base, container(FILES), "store.zip")
    assert (archive.state, archive.file_type) == (DocumentState.COMPLETED, "zip")
    found = {(row.folder_path, row.name): row for row in archive.members.all()}
    assert set(found) == {("in/store.zip", "lamp.md"), ("in/store.zip/deep", "rope.txt")}
    assert {row.state for row in found.values()} == {DocumentState.COMPLETED}
    assert {row.source for row in found.values()} == {DocumentSource.MEMBER}


def test_a_second_run_adds_nothing_and_takes_away_what_is_gone(
    olivia: Persona, base: KnowledgeBase
) -> None:
    archive = add(olivia, base, container(FILES), "store.zip")
    before = set(archive.members.values_list("pk", flat=True))
    stale = Document.objects.create(
        space_id=archive.space_id, base=base, name="old.txt", parent=archive, size_bytes=1
    )
    retry_document(olivia.actor, document_id=archive.pk)
    while work("ingest"):
        pass
    stale.refresh_from_db()
    assert stale.state == DocumentState.DELETING
    rest = archive.members.exclude(state=DocumentState.DELETING)
    assert set(rest.values_list("pk", flat=True)) == before


def test_attachments_of_a_mail_are_documents(olivia: Persona, base: KnowledgeBase) -> None:
    mail = (
        "From: a@b.example\nTo: c@d.example\nSubject: Bill\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=X\n\n--X\nContent-Type: text/plain\n\nSee below.\n"
        "--X\nContent-Type: text/csv\nContent-Disposition: attachment; filename=bill.csv\n\n"
        "berth,fee\nnorth,12\n--X--\n"
    )
    document = add(olivia, base, mail.encode(), "bill.eml")
    member = document.members.get()
    assert (member.name, member.folder_path) == ("bill.csv", "in/bill.eml")
    assert (member.state, member.file_type) == (DocumentState.COMPLETED, "csv")


def test_archives_in_archives_end_at_a_depth(olivia: Persona, base: KnowledgeBase) -> None:
    content = container({"core.txt": "the core"})
    for depth in range(4):
        content = container({f"layer{depth}.zip": content, f"note{depth}.txt": f"Layer {depth}."})
    add(olivia, base, content, "onion.zip")
    assert Document.objects.filter(name__startswith="layer").count() == members.MAX_DEPTH
    assert not Document.objects.filter(name="core.txt").exists()
    deepest = Document.objects.get(name="layer1.zip")
    assert "archives in each other were left out" in deepest.warnings[-1]


def test_a_tower_of_archives_is_refused_at_its_second_floor(
    olivia: Persona, base: KnowledgeBase
) -> None:
    content = container({"core.txt": "the core"})
    for _ in range(4):
        content = container({f"{number}.zip": content for number in range(10)})
    add(olivia, base, content, "tower.zip")
    below = Document.objects.filter(parent__isnull=False)
    assert [(row.state, row.reason_code) for row in below] == [
        (DocumentState.REFUSED, "hostile")
    ] * 10


def test_one_upload_brings_so_many_files_and_no_more(
    olivia: Persona, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "MAX_MEMBERS", 2)
    archive = add(
        olivia, base, container({f"{number}.txt": str(number) for number in range(4)}), "a.zip"
    )
    assert archive.members.count() == 2
    assert "2.txt, 3.txt" in archive.warnings[-1]


def test_members_stand_behind_the_walls_of_what_they_came_in(
    olivia: Persona, base: KnowledgeBase
) -> None:
    archive = add(olivia, base, container(FILES), "store.zip")
    restriction = Restriction.objects.create(
        space_id=archive.space_id, base=base, document=archive, created_by=olivia.user
    )
    assert raise_walls_of(restriction) == 3
    archive.members.all().delete()
    retry_document(olivia.actor, document_id=archive.pk)
    while work("ingest"):
        pass
    walled = DocumentWall.objects.values_list("document_id", flat=True)
    assert set(archive.members.values_list("pk", flat=True)) < set(walled)


def test_a_job_of_an_earlier_attempt_does_nothing(olivia: Persona, base: KnowledgeBase) -> None:
    archive = add_document(
        olivia.actor, base_id=base.pk, name="a.zip", content=container(FILES), folder_path=""
    )
    assert work("ingest")
    Document.objects.filter(pk=archive.pk).update(attempt=7)
    while work("ingest"):
        pass
    assert BackgroundJob.objects.filter(name=ADD_MEMBERS.name).exists()
    assert not archive.members.exists()
