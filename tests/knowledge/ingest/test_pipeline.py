"""The whole way of a file into a base, on the database and the real parsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from core.errors import Conflict, Invalid, TooLarge
from core.jobs.work import work
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope
from knowledge.constants import DocumentState, StageName, StageState
from knowledge.ingest import embed as embed_module, pipeline, stages
from knowledge.ingest.stages import StageReport
from knowledge.models import Chunk, Document, Embedding, KeywordRow, KnowledgeBase, Stage
from knowledge.names import clean_file_name
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.services.documents import (
    add_document,
    cancel_document,
    delete_document,
    retry_document,
)
from knowledge.signals import document_indexed
from providers.contracts.errors import ModelError
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = b"# Lamps\n\nThe lamp at the pier burns all night.\n\n# Ropes\n\nRopes hang in the store.\n"


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    """Files below the test's folder, no broker, and an embedding model in this process."""
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    made = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield made


def add(olivia: Persona, base: KnowledgeBase, content: bytes, name: str = "store.md") -> Document:
    return add_document(olivia.actor, base_id=base.pk, name=name, content=content)


def ingest(document: Document) -> Document:
    assert work("ingest")
    document.refresh_from_db()
    return document


def test_document_becomes_ready_with_all_its_stages(olivia: Persona, base: KnowledgeBase) -> None:
    told: list[object] = []
    receiver: Callable[..., None] = lambda document_id, **_: told.append(document_id)  # noqa: E731
    document_indexed.connect(receiver)
    document = ingest(add(olivia, base, TEXT))
    document_indexed.disconnect(receiver)
    assert (document.state, document.reason) == (DocumentState.COMPLETED, "")
    assert document.searchable_at is not None
    done, skipped = StageState.DONE, StageState.SKIPPED
    assert [stage.state for stage in document.stages.all()] == [done] * 4 + [skipped]
    chunks = Chunk.objects.filter(document=document).count()
    assert chunks == document.chunk_count > 0
    assert Embedding.objects.count() == KeywordRow.objects.count() == chunks
    assert told == [document.pk]


@pytest.mark.parametrize(
    ("name", "content", "state", "says"),
    [
        ("empty.txt", b"", DocumentState.REFUSED, "empty"),
        ("blank.txt", b"  \n ", DocumentState.REFUSED, "No text was found"),
        ("fake.pdf", b"just words", DocumentState.REFUSED, "pdf"),
        ("program.docx", b"MZ" + b"\0" * 99, DocumentState.REFUSED, "program"),
    ],
)
def test_file_that_gives_no_text_never_becomes_ready(
    olivia: Persona, base: KnowledgeBase, name: str, content: bytes, state: str, says: str
) -> None:
    document = ingest(add(olivia, base, content, name))
    assert document.state == state
    assert says in document.reason
    assert document.searchable_at is None
    assert BackgroundJob.objects.get().state == JobState.DONE


def test_timeline_of_a_ready_document_is_whole_though_its_worker_dies_right_then(
    olivia: Persona, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_end = stages._end

    def die_at_the_last(report: StageReport, error: BaseException | None) -> None:
        if report.row.name != StageName.INDEX:
            write_end(report, error)

    monkeypatch.setattr(stages, "_end", die_at_the_last)
    document = ingest(add(olivia, base, TEXT))
    assert document.state == DocumentState.COMPLETED
    last = Stage.objects.get(document=document, name=StageName.INDEX)
    assert (last.state, last.detail["passages"]) == (StageState.DONE, document.chunk_count)
    assert last.ended_at is not None


def test_second_attempt_takes_over_what_is_done(olivia: Persona, base: KnowledgeBase) -> None:
    document = ingest(add(olivia, base, TEXT))
    before = set(Chunk.objects.values_list("pk", flat=True))
    retry_document(olivia.actor, document_id=document.pk)
    document = ingest(document)
    assert document.state == DocumentState.COMPLETED
    assert set(Chunk.objects.values_list("pk", flat=True)) == before
    parse = Stage.objects.get(document=document, attempt=2, name="parse")
    assert parse.state == StageState.SKIPPED
    assert Embedding.objects.count() == len(before)
    assert document.revision == 1


def test_model_that_is_away_is_waited_for_with_words(
    olivia: Persona, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ModelError("unreachable", "The model's service cannot be reached.")

    monkeypatch.setattr(embed_module, "_embed", fail)
    document = ingest(add(olivia, base, TEXT))
    assert document.state == DocumentState.PENDING
    assert "cannot be reached" in document.reason
    assert "tried again" in document.reason
    monkeypatch.undo()
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())
    BackgroundJob.objects.update(run_after="2020-01-01T00:00:00Z")
    assert ingest(document).state == DocumentState.COMPLETED


def test_stopped_document_stays_stopped_and_can_be_read_again(
    olivia: Persona, base: KnowledgeBase
) -> None:
    document = add(olivia, base, TEXT)
    cancel_document(olivia.actor, document_id=document.pk)
    assert not work("ingest")
    document.refresh_from_db()
    assert document.state == DocumentState.CANCELLED
    retry_document(olivia.actor, document_id=document.pk)
    assert ingest(document).state == DocumentState.COMPLETED


def test_document_deleted_while_it_is_read_ends_its_job_quietly(
    olivia: Persona, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = embed_module.embed_chunks

    def delete_first(document: Document, **more: Any) -> int:
        Document.objects.filter(pk=document.pk).delete()
        return whole(document, **more)

    monkeypatch.setattr(pipeline, "embed_chunks", delete_first)
    add(olivia, base, TEXT)
    assert work("ingest")
    assert BackgroundJob.objects.get().state == JobState.CANCELLED


def test_deleted_document_is_gone_at_once_and_then_for_good(
    olivia: Persona, base: KnowledgeBase
) -> None:
    document = ingest(add(olivia, base, TEXT))
    delete_document(olivia.actor, document_id=document.pk)
    found = retrieve(olivia.actor, query="lamp at the pier", scope=Scope(base_ids=(base.pk,)))
    assert found.hits == ()
    assert work("default")
    assert not Document.objects.exists()
    assert not KeywordRow.objects.exists()


def test_same_file_twice_is_refused_and_names_the_first(
    olivia: Persona, base: KnowledgeBase
) -> None:
    first = add(olivia, base, TEXT)
    with pytest.raises(Conflict) as caught:
        add(olivia, base, TEXT)
    assert caught.value.data == {"document_id": str(first.pk)}


def test_file_over_the_limit_is_refused_with_the_limit(
    olivia: Persona, base: KnowledgeBase, settings: Any
) -> None:
    settings.MAX_UPLOAD_BYTES = 1_000_000
    with pytest.raises(TooLarge, match="1 MB are the most"):
        add(olivia, base, b"x" * 2_000_000)


@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        ("../../etc/passwd", "", ("passwd", "etc")),
        ("..\\..\\boot.ini", "", ("boot.ini", "")),
        ("a/b/c.txt", "top", ("c.txt", "top/a/b")),
        ("  spaced .txt ", "", ("spaced .txt", "")),
        ("x" * 300 + ".pdf", "", ("x" * 251 + ".pdf", "")),
    ],
)
def test_names_are_kept_without_ways_out(name: str, folder: str, expected: tuple[str, str]) -> None:
    cleaned = clean_file_name(name, folder_path=folder)
    assert (cleaned.name, cleaned.folder_path) == expected


@pytest.mark.parametrize("name", ["a\x00b.txt", "..", "", "a\nb.txt", "/"])
def test_names_that_cannot_be_kept_are_refused(name: str) -> None:
    with pytest.raises(Invalid):
        clean_file_name(name)
