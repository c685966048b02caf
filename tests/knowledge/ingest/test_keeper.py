"""Documents whose job is over get another one or a reason; a full queue takes no more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone

from core.errors import LimitReached
from core.jobs.work import work
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope
from knowledge.batches.services import begin_batch
from knowledge.batches.spending import COMING_WITHIN
from knowledge.constants import BatchState, DocumentState
from knowledge.ingest import pipeline
from knowledge.ingest.keeper import heal_now, settle_batches
from knowledge.models import Document, IngestBatch, KnowledgeBase
from knowledge.services.documents import Origin, add_document, set_processing
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


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


@pytest.fixture
def waiting(olivia: Persona, base: KnowledgeBase) -> Document:
    """A document that waits, and was left alone for an hour."""
    document = add_document(
        olivia.actor, base_id=base.pk, name="lamps.md", content=b"The lamp burns at night.\n" * 40
    )
    Document.objects.update(updated_at=timezone.now() - timedelta(hours=1))
    return document


def test_document_whose_job_waits_is_left_alone(waiting: Document) -> None:
    assert heal_now() == 0


def test_document_whose_job_is_gone_gets_another(waiting: Document) -> None:
    BackgroundJob.objects.all().delete()
    assert heal_now() == 1
    waiting.refresh_from_db()
    assert BackgroundJob.objects.get().pk == waiting.job_id


@pytest.mark.parametrize(
    ("ended", "state"),
    [(JobState.FAILED, DocumentState.FAILED), (JobState.CANCELLED, DocumentState.CANCELLED)],
    ids=["failed", "cancelled"],
)
def test_document_whose_job_ended_badly_gets_its_reason(
    waiting: Document, ended: JobState, state: DocumentState
) -> None:
    BackgroundJob.objects.update(state=ended, reason="The disk is full.")
    heal_now()
    waiting.refresh_from_db()
    assert waiting.state == state
    assert "The disk is full." in waiting.reason


def test_batch_ends_though_the_worker_of_its_last_document_died(
    olivia: Persona, base: KnowledgeBase
) -> None:
    batch = begin_batch(olivia.actor, base_id=base.pk, files=[("lamps.md", 400)])
    document = add_document(
        olivia.actor,
        base_id=base.pk,
        name="lamps.md",
        content=b"The lamp burns at night.",
        origin=Origin(batch_id=batch.pk),
    )
    settle_batches()
    batch.refresh_from_db()
    assert batch.state == BatchState.RUNNING
    # As the transaction leaves it whose worker does not live to see the commit.
    Document.objects.filter(pk=document.pk).update(state=DocumentState.COMPLETED)
    settle_batches()
    batch.refresh_from_db()
    assert batch.state == BatchState.DONE


def test_batch_whose_files_do_not_come_ends_after_a_while(
    olivia: Persona, base: KnowledgeBase
) -> None:
    batch = begin_batch(olivia.actor, base_id=base.pk, files=[("lamps.md", 400)])
    IngestBatch.objects.update(created_at=timezone.now() - COMING_WITHIN - timedelta(seconds=1))
    settle_batches()
    batch.refresh_from_db()
    assert batch.state == BatchState.DONE


def test_space_in_which_too_many_wait_takes_no_more(
    olivia: Persona, base: KnowledgeBase, waiting: Document, settings: Any
) -> None:
    settings.INGEST_WAITING_PER_SPACE = 1
    with pytest.raises(LimitReached, match="Nothing is lost") as refused:
        add_document(olivia.actor, base_id=base.pk, name="ropes.md", content=b"Ropes.")
    assert refused.value.data["retry_after_seconds"] > 0


def test_what_the_upload_sets_goes_before_the_base(
    olivia: Persona, base: KnowledgeBase, waiting: Document
) -> None:
    set_processing(
        olivia.actor, document_id=waiting.pk, processing={"split": {"size_characters": 200}}
    )
    assert work("ingest")
    waiting.refresh_from_db()
    assert (waiting.state, waiting.chunk_count > 4) == (DocumentState.COMPLETED, True)


def test_settings_that_do_not_fit_any_more_are_a_reason(waiting: Document) -> None:
    Document.objects.update(processing={"split": {"size_characters": 3}})
    assert work("ingest")
    waiting.refresh_from_db()
    assert waiting.state == DocumentState.FAILED
    assert "split.size_characters" in waiting.reason
