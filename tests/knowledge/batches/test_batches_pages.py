"""The pages of batches: estimate, begin, upload into one, what failed, resume, retry, cancel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from knowledge.batches.measured import DEFAULT_PACE, pace
from knowledge.batches.queue import Queue
from knowledge.batches.services import batch_to_fill, begin_batch
from knowledge.batches.spending import settle
from knowledge.constants import BatchState, DocumentState
from knowledge.models import Document, IngestBatch, KnowledgeBase, Stage
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

pytestmark = pytest.mark.django_db
TWO = json.dumps([["txt", "4000"], ["pdf", "100000"]])


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    cache.clear()


@pytest.fixture
def shelf(cora: Persona) -> Iterator[KnowledgeBase]:
    with cora.scope():
        model = make_model(
            cora.space,
            type="embedding",
            is_default=True,
            parameters={"input_price": 20, "currency": "EUR"},
        )
        yield make_base(cora.space, name="Shelf", created_by=cora.user, embedding_model=model)


def post(person: Persona, name: str, *args: Any, status: int, **data: Any) -> Any:
    headers = {"Accept": "application/json"}
    response = person.client.post(reverse(name, args=args), data, headers=headers)
    assert response.status_code == status, response.content.decode()[:2000]
    return response


def begin(cora: Persona, shelf: KnowledgeBase, **data: Any) -> IngestBatch:
    made = post(cora, "base_batches", shelf.pk, status=201, files=TWO, **data).json()
    return IngestBatch.objects.get(pk=made["id"])


def page(cora: Persona, batch: IngestBatch) -> str:
    response = cora.client.get(reverse("batch", args=[batch.base_id, batch.pk]))
    assert response.status_code == 200
    return str(response.content.decode())


def upload(cora: Persona, batch: IngestBatch, name: str, *, status: int = 201) -> Any:
    file = SimpleUploadedFile(name, f"The door of {name} is open.".encode())
    return post(cora, "base_upload", batch.base_id, status=status, file=file, batch=str(batch.pk))


def test_estimate_names_minutes_tokens_and_money(cora: Persona, shelf: KnowledgeBase) -> None:
    answer = post(cora, "base_batch_estimate", shelf.pk, status=200, files=TWO).content.decode()
    assert "about 1 minute" in answer
    assert "about 1,750" in answer
    assert "EUR" in answer
    assert "a machine of two cores is assumed" in answer


def test_limits_are_read_in_the_words_of_people(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf, cap_tokens="500,000", cap_money="2.50")
    assert (batch.cap_tokens, batch.cap_cents) == (500_000, 250)
    bad = post(cora, "base_batches", shelf.pk, status=400, files=TWO, cap_money="much")
    assert "such as 2.50" in bad.json()["error"]["message"]


@pytest.mark.parametrize("files", ["", "[]", "{}", '[["txt"]]', '[["txt", "-1"]]'])
def test_list_of_files_that_makes_no_sense_is_refused(
    cora: Persona, shelf: KnowledgeBase, files: str
) -> None:
    post(cora, "base_batches", shelf.pk, status=400, files=files)


def test_uploads_carry_their_batch(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf)
    upload(cora, batch, "a.txt")
    assert Document.objects.get().batch_id == batch.pk
    assert "0 of 2 ready" in page(cora, batch)


def test_files_that_were_announced_do_not_count_for_the_limit_of_uploads(
    cora: Persona, shelf: KnowledgeBase, settings: Any
) -> None:
    settings.LIMITS_PER_MINUTE = {**settings.LIMITS_PER_MINUTE, "upload": 1}
    batch = begin(cora, shelf)
    upload(cora, batch, "a.txt")
    upload(cora, batch, "b.txt")
    assert upload(cora, batch, "c.txt", status=429)["Retry-After"]


def test_cancelled_batch_takes_no_more(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf)
    post(cora, "batch", shelf.pk, batch.pk, status=302, action="cancel")
    refused = upload(cora, batch, "a.txt", status=409)
    assert "was canceled" in refused.json()["error"]["message"]


def test_canceled_documents_are_counted_wherever_a_batch_is_told(
    cora: Persona, shelf: KnowledgeBase
) -> None:
    batch = begin(cora, shelf)
    upload(cora, batch, "a.txt")
    upload(cora, batch, "b.txt")
    post(cora, "batch", shelf.pk, batch.pk, status=302, action="cancel")
    line = cora.client.get(reverse("batch", args=[shelf.pk, batch.pk]), {"part": "line"})
    listed = cora.client.get(reverse("base_batches", args=[shelf.pk]))
    assert "2 canceled" in line.content.decode()
    assert "2 canceled" in listed.content.decode()
    assert listed.context["rows"][0]["percent"] == 100


def test_batch_of_another_base_takes_nothing(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf)
    other = make_base(cora.space, created_by=cora.user)
    file = SimpleUploadedFile("a.txt", b"The door is open.")
    post(cora, "base_upload", other.pk, status=404, file=file, batch=str(batch.pk))


def test_what_did_not_arrive_stands_beside_what_was_not_read(
    cora: Persona, shelf: KnowledgeBase
) -> None:
    batch = begin(cora, shelf)
    make_document(shelf, name="torn.pdf", state="failed", batch=batch, reason="It is torn.")
    failed = json.dumps([["huge.pdf", "It has 300 MB; 100 MB are the most."]])
    post(cora, "batch_uploads", shelf.pk, batch.pk, status=204, failed=failed)
    shown = page(cora, batch)
    assert all(each in shown for each in ("torn.pdf", "It is torn.", "huge.pdf", "Not uploaded"))


def test_batch_ends_when_no_more_comes(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf)
    make_document(shelf, name="a.txt", batch=batch)
    settle(batch.pk)
    batch.refresh_from_db()
    assert batch.state == BatchState.RUNNING
    batch.uploads = {"is_complete": True}
    batch.save()
    settle(batch.pk)
    batch.refresh_from_db()
    assert batch.state == BatchState.DONE
    assert "1 file did not become a document" in page(cora, batch)


def test_all_that_failed_is_read_again_at_once(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf)
    IngestBatch.objects.update(state=BatchState.DONE)
    torn = make_document(shelf, name="torn.pdf", state="failed", batch=batch)
    whole = make_document(shelf, name="whole.pdf", batch=batch)
    post(cora, "batch", shelf.pk, batch.pk, status=302, action="retry")
    torn.refresh_from_db()
    whole.refresh_from_db()
    batch.refresh_from_db()
    assert (torn.state, whole.state) == (DocumentState.PENDING, DocumentState.COMPLETED)
    assert batch.state == BatchState.RUNNING


def test_paused_batch_says_so_in_page_and_tray_and_goes_on(
    cora: Persona, shelf: KnowledgeBase
) -> None:
    batch = begin(cora, shelf, cap_tokens="100")
    IngestBatch.objects.update(state=BatchState.PAUSED, spent_tokens=120)
    address = reverse("batch", args=[shelf.pk, batch.pk])
    line = cora.client.get(address, {"part": "line"}).content.decode()
    assert "Paused: its limit of 100 tokens is used" in line
    assert "Paused: its limit of 100 tokens is used" in page(cora, batch)
    post(cora, "batch", shelf.pk, batch.pk, status=302, action="resume", cap_tokens="110")
    batch.refresh_from_db()
    assert batch.state == BatchState.PAUSED
    post(cora, "batch", shelf.pk, batch.pk, status=302, action="resume", cap_tokens="1000")
    batch.refresh_from_db()
    assert (batch.state, batch.cap_tokens) == (BatchState.RUNNING, 1000)


def test_list_shows_the_batches_of_the_base(cora: Persona, shelf: KnowledgeBase) -> None:
    batch = begin(cora, shelf)
    make_document(shelf, name="torn.pdf", state="failed", batch=batch)
    shown = cora.client.get(reverse("base_batches", args=[shelf.pk])).content.decode()
    assert "2 documents" in shown
    assert "1 failed" in shown


def test_done_batch_is_open_again_for_a_file_that_is_tried_again(
    cora: Persona, shelf: KnowledgeBase
) -> None:
    batch = begin_batch(cora.actor, base_id=shelf.pk, files=[("a.txt", 1)])
    IngestBatch.objects.update(state=BatchState.DONE, ended_at=timezone.now())
    batch_to_fill(cora.actor, base_id=shelf.pk, batch_id=batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.ended_at) == (BatchState.RUNNING, None)


def test_pace_counts_steps_side_by_side_once(cora: Persona, shelf: KnowledgeBase) -> None:
    assert pace() == DEFAULT_PACE
    began = timezone.now() - timedelta(hours=1)
    for number in range(20):
        document = make_document(shelf, name=f"{number}.txt")
        start = began + timedelta(seconds=2 * (number // 2))  # two at a time
        make_stage(document, "parse", start, seconds=1)
        make_stage(document, "embed", start + timedelta(seconds=1), seconds=1, tokens=100)
    found = pace()
    assert found.is_measured
    assert found.seconds(files=20, tokens=2_000) == pytest.approx(20.0)
    assert found.seconds_waiting(Queue(documents=10, sharers=1)) == pytest.approx(10.0)


def make_stage(document: Document, name: str, start: Any, *, seconds: float, **detail: Any) -> None:
    stage = Stage.objects.create(
        space_id=document.space_id,
        document=document,
        attempt=1,
        name=name,
        state="done",
        ended_at=start + timedelta(seconds=seconds),
        detail=detail,
    )
    Stage.objects.filter(pk=stage.pk).update(started_at=start)
