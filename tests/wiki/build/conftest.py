"""A base with a wiki that is open to building, and what plays its model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext

import pytest
from celery import current_app

from core.jobs.work import work
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from providers.constants import ModelType
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.factories.wiki import make_wiki
from tests.personas import Persona
from tests.wiki.build.recorded import RecordedModel
from wiki.build import asking
from wiki.constants import ReviewMode
from wiki.models import WikiOperation

Play = Callable[[RecordedModel], RecordedModel]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No broker, no pauses."""
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(asking, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(asking, "background_slot", lambda *_, **__: nullcontext())


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """A base of space A, in its scope, whose wiki publishes what is built."""
    base = make_base(olivia.space, name="星尘", created_by=olivia.user)
    with space_scope(olivia.space.pk):
        make_wiki(base, review=ReviewMode.OPEN)
        yield base


@pytest.fixture
def play(olivia: Persona, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Give the space a chat model that is played by this one."""
    make_model(olivia.space, type=ModelType.CHAT, is_default=True, name="Recorded")

    def begin(model: RecordedModel) -> RecordedModel:
        monkeypatch.setattr(asking, "get_chat_model", lambda _row: model)
        return model

    return begin


def work_off() -> None:
    """Do everything that waits, at once."""
    for _ in range(50):
        BackgroundJob.objects.filter(queue="enrich", state="queued").update(
            run_after="2020-01-01T00:00:00Z"
        )
        WikiOperation.objects.filter(state="pending").update(not_before="2020-01-01T00:00:00Z")
        if not work("enrich"):
            return
    raise AssertionError("there is always more to do")
