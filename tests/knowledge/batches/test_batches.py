"""Batches: an estimate first, a cap that pauses, words that say so, and going on afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.jobs.work import work
from core.tenancy import space_scope
from knowledge.batches.estimate import is_large
from knowledge.batches.services import (
    begin_batch,
    cancel_batch,
    estimate_batch,
    resume_batch,
)
from knowledge.constants import BatchState, DocumentState, StageState
from knowledge.ingest import pipeline
from knowledge.models import Document, IngestBatch, KnowledgeBase, Stage
from knowledge.services.documents import Origin, add_document, retry_document
from providers.constants import ModelType
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
FILES = [("one.txt", 4_000), ("two.txt", 4_000)]


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """A base whose embedding model costs 20 for a million tokens."""
    model = make_model(
        olivia.space, type=ModelType.EMBEDDING, parameters={"input_price": 20}, is_default=True
    )
    made = make_base(olivia.space, created_by=olivia.user, embedding_model=model)
    with space_scope(olivia.space.pk):
        yield made


def put(olivia: Persona, batch: IngestBatch, name: str) -> Document:
    text = f"{name}. " + "The lamp at the pier burns all night. " * 100
    return add_document(
        olivia.actor,
        base_id=batch.base_id,
        name=name,
        content=text.encode(),
        origin=Origin(batch_id=batch.pk),
    )


def read_all(*documents: Document) -> None:
    while work("ingest"):
        pass
    for document in documents:
        document.refresh_from_db()


def test_estimate_names_documents_tokens_and_money(olivia: Persona, base: KnowledgeBase) -> None:
    found = estimate_batch(olivia.actor, base_id=base.pk, files=FILES)
    assert (found.documents, found.bytes, found.tokens) == (2, 8_000, 2_000)
    assert found.cents == 4
    assert found.minutes >= 1


@pytest.mark.parametrize(
    ("files", "large"),
    [([("a", 1)] * 50, False), ([("a", 1)] * 51, True), ([("a", 100_000_001)], True)],
    ids=["fifty", "more", "bytes"],
)
def test_large_is_more_than_fifty_files_or_a_hundred_megabytes(
    files: list[tuple[str, int]], large: bool
) -> None:
    assert is_large(files) is large


def test_batch_ends_when_its_last_document_does(olivia: Persona, base: KnowledgeBase) -> None:
    batch = begin_batch(olivia.actor, base_id=base.pk, files=FILES)
    put(olivia, batch, "one.txt")
    read_all()
    batch.refresh_from_db()
    assert batch.state == BatchState.RUNNING
    put(olivia, batch, "two.txt")
    read_all()
    batch.refresh_from_db()
    assert batch.state == BatchState.DONE
    assert batch.spent_tokens > 1_500
    assert batch.spent_cents == batch.spent_tokens * Decimal(20) / 10_000


def test_batch_pauses_at_its_cap_and_goes_on_with_a_higher_one(
    olivia: Persona, base: KnowledgeBase
) -> None:
    batch = begin_batch(olivia.actor, base_id=base.pk, files=FILES, cap_tokens=500)
    one, two = put(olivia, batch, "one.txt"), put(olivia, batch, "two.txt")
    read_all(one, two)
    batch.refresh_from_db()
    assert batch.state == BatchState.PAUSED
    assert {one.state, two.state} == {DocumentState.PENDING}
    assert "batch is paused" in two.reason
    assert Stage.objects.get(document=one, name="embed").state == StageState.CANCELLED
    with pytest.raises(Invalid, match="are used already"):
        resume_batch(olivia.actor, batch_id=batch.pk, cap_tokens=500, cap_cents=None)
    resume_batch(olivia.actor, batch_id=batch.pk, cap_tokens=None, cap_cents=None)
    read_all(one, two)
    assert {one.state, two.state} == {DocumentState.COMPLETED}
    batch.refresh_from_db()
    assert batch.state == BatchState.DONE


def test_cancelled_batch_stops_what_waits_and_each_can_be_read_again(
    olivia: Persona, base: KnowledgeBase
) -> None:
    batch = begin_batch(olivia.actor, base_id=base.pk, files=FILES)
    one = put(olivia, batch, "one.txt")
    cancel_batch(olivia.actor, batch_id=batch.pk)
    read_all(one)
    assert (one.state, one.reason) == (DocumentState.CANCELLED, "Its batch was canceled.")
    with pytest.raises(Conflict):
        cancel_batch(olivia.actor, batch_id=batch.pk)
    retry_document(olivia.actor, document_id=one.pk)
    read_all(one)
    assert one.state == DocumentState.COMPLETED


def test_who_only_reads_begins_no_batch_and_sees_none(
    olivia: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    with pytest.raises(AccessDenied):
        begin_batch(victor.actor, base_id=base.pk, files=FILES)
    batch = begin_batch(olivia.actor, base_id=base.pk, files=FILES)
    with pytest.raises(NotFound):
        cancel_batch(victor.actor, batch_id=batch.pk)
