"""A run that asks before it sends: its tool, its model's script, and the people around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import current_app

from agents.engine.testing import FakeTool, ScriptedModel, call, calls, say
from agents.models import AgentRun, Approval
from agents.runs import prepare as prepare_module
from agents.services.conversations import Question, ask
from agents.tools import registry
from core.jobs.work import work
from core.tenancy import space_scope
from tests.factories.agents import make_agent
from tests.factories.providers import make_model
from tests.personas import Persona

SEND_SCHEMA = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "description": "Who gets it."},
        "copies": {"type": "integer", "minimum": 1, "maximum": 5},
        "urgent": {"type": "boolean"},
        "subject": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "parts": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["to"],
    "additionalProperties": False,
}


@pytest.fixture
def send(monkeypatch: pytest.MonkeyPatch) -> FakeTool:
    """A tool that sends something out, known to every agent that names it."""
    fake = FakeTool("send", answer="sent", side_effects="unsafe", parameters=SEND_SCHEMA)
    tool = fake.tool(title=lambda arguments: f"Send it to {arguments['to']}")
    monkeypatch.setitem(registry._tools, "send", tool)
    return fake


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run jobs themselves; nobody is woken."""
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def asker(transactional_db: None, cora: Persona, send: FakeTool) -> Iterator[Persona]:
    """Cora, in her space, with an agent that may send."""
    make_model(cora.space, type="chat", is_default=True)
    make_agent(cora.space, name="Sender", config={"allowed_tools": ["send"]})
    with space_scope(cora.space.pk):
        yield cora


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedModel]:
    """Let the space's chat model play turns; without any it sends to Ada and answers."""

    def set_script(*turns: Any) -> ScriptedModel:
        model = ScriptedModel(list(turns) or [calls(call("send", to="ada")), say("Done.")])
        monkeypatch.setattr(prepare_module, "get_chat_model", lambda row: model)
        return model

    return set_script


@pytest.fixture
def waiting(asker: Persona, play: Callable[..., ScriptedModel]) -> Approval:
    """The request of a run that sleeps."""
    play()
    return ask_and_wait(asker)


def ask_and_wait(asker: Persona) -> Approval:
    """Ask, work until the run sleeps, and return its first request."""
    run = ask(asker.actor, Question(text="Send it."))
    assert work("runs")
    run.refresh_from_db()
    assert run.state == "waiting_approval", (run.state, run.reason)
    return Approval.objects.filter(run=run).order_by("requested_seq")[0]


def end_of(row: Approval) -> AgentRun:
    """Work on the run until nothing is to be done and return it."""
    while work("runs"):
        pass
    return AgentRun.objects.select_related("answer").get(pk=row.run_id)
