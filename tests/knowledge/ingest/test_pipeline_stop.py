"""A stop takes effect within five seconds, also while a model does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from celery import current_app
from django.db import connection
from numpy.typing import NDArray

from core.jobs.work import work
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope
from knowledge.constants import DocumentState, StageName, StageState
from knowledge.ingest import pipeline
from knowledge.models import Document, Stage
from knowledge.services.documents import add_document, cancel_document
from providers.contracts.embedding import InputKind
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


class SilentModel(WordModel):
    """A model that does not answer until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let_go = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> NDArray[np.float32]:
        self.asked.set()
        self.let_go.wait(30)
        return super().embed(texts, kind=kind)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Iterator[SilentModel]:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    model = SilentModel()
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: model)
    yield model
    model.let_go.set()


def stop_when_asked(olivia: Persona, document: Document, model: SilentModel) -> list[float]:
    """Stop the document from another thread as soon as the model is asked; return when that was."""
    stopped: list[float] = []

    def stop() -> None:
        model.asked.wait(30)
        with space_scope(olivia.space.pk):
            cancel_document(olivia.actor, document_id=document.pk)
        stopped.append(time.monotonic())
        connection.close()

    threading.Thread(target=stop).start()
    return stopped


def test_stop_while_the_model_is_silent_ends_the_job(olivia: Persona, silent: SilentModel) -> None:
    base = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        document = add_document(
            olivia.actor, base_id=base.pk, name="lamps.md", content=b"The lamp burns."
        )
        stopped = stop_when_asked(olivia, document, silent)
        assert work("ingest")
        assert time.monotonic() - stopped[0] < 5
        document.refresh_from_db()
        assert document.state == DocumentState.CANCELLED
        assert BackgroundJob.objects.get().state == JobState.CANCELLED
        embed = Stage.objects.get(document=document, name=StageName.EMBED)
        assert embed.state == StageState.CANCELLED
