"""A space whose model plays a script, and a way to carry a run to its end in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from celery import current_app

from agents.engine.testing import Pause, ScriptedModel
from agents.models import AgentRun, RunEvent
from agents.runs import prepare as prepare_module
from agents.services.conversations import Question, ask
from core.jobs.work import work
from core.tenancy import space_scope
from providers.contracts.chat import ChatChunk
from tests.factories.agents import make_agent
from tests.factories.providers import make_model
from tests.personas import Persona

Script = Sequence[Sequence[ChatChunk | Exception | Pause]]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Script], ScriptedModel]:
    """Let the space's chat model play these turns."""

    def play(turns: Script) -> ScriptedModel:
        model = ScriptedModel(turns)
        monkeypatch.setattr(prepare_module, "get_chat_model", lambda row: model)
        return model

    return play


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run jobs themselves; nobody is woken."""
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def asker(transactional_db: None, cora: Persona) -> Iterator[Persona]:
    """Cora, in her space, with an agent and a default chat model."""
    make_model(cora.space, type="chat", is_default=True)
    make_agent(cora.space, name="Reasoner")
    with space_scope(cora.space.pk):
        yield cora


def put(asker: Persona, text: str, **fields: object) -> AgentRun:
    """Ask a question."""
    return ask(asker.actor, Question(text=text, **fields))  # type: ignore[arg-type]  # test shorthand


def carry_out() -> None:
    """Do what a worker would: the next job of runs."""
    assert work("runs")


def types_of(run: AgentRun) -> list[str]:
    """Return the types of the run's events, in their order."""
    return list(RunEvent.objects.filter(run=run).order_by("seq").values_list("type", flat=True))


def seq_is_whole(run: AgentRun) -> bool:
    """Say whether the rows' numbers leave no gap and do not overlap."""
    expected = 1
    for row in RunEvent.objects.filter(run=run).order_by("seq"):
        if row.seq != expected or row.seq_to < row.seq:
            return False
        expected = row.seq_to + 1
    return True


__all__ = ["carry_out", "put", "seq_is_whole", "types_of"]
