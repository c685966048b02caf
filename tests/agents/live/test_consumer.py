"""The chat's socket: only one's own conversation, frames without a gap, refusals in words."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from accounts.models import Membership
from agents import consumers
from agents.engine.testing import ScriptedModel, say
from agents.runs import store
from agents.services.conversations import create_conversation, delete_conversation
from core.aio import in_db
from core.jobs.work import work
from core.tenancy import space_scope
from tests.agents.runs.conftest import Script, asker, no_broker, script  # noqa: F401  fixtures
from tests.contracts.sockets import socket_of
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
Play = Callable[[Script], ScriptedModel]


class Window:
    """One window's socket."""

    def __init__(self, persona: Persona | None, conversation_id: object) -> None:
        self._socket = socket_of(persona, f"/ws/conversations/{conversation_id}/")

    async def open(self) -> dict[str, Any]:
        """Connect and return the server's first word."""
        await self._socket.send_input({"type": "websocket.connect"})
        return await self.hear()

    async def say(self, frame: dict[str, Any]) -> None:
        """Send one frame."""
        await self._socket.send_input({"type": "websocket.receive", "text": json.dumps(frame)})

    async def hear(self) -> dict[str, Any]:
        """Return the server's next message as ASGI has it."""
        message: dict[str, Any] = await self._socket.receive_output(timeout=20)
        return message

    async def frame(self) -> dict[str, Any]:
        """Return the server's next frame."""
        frame: dict[str, Any] = json.loads((await self.hear())["text"])
        return frame

    async def close(self) -> None:
        """Go away, as a closed tab does."""
        await self._socket.send_input({"type": "websocket.disconnect", "code": 1001})
        await self._socket.wait(timeout=20)


@asynccontextmanager
async def window(persona: Persona, conversation_id: object) -> AsyncIterator[Window]:
    """Open a window for the block."""
    opened = Window(persona, conversation_id)
    try:
        yield opened
    finally:
        await opened.close()


async def frames_until(
    socket: Window, done: Callable[[dict[str, Any]], bool]
) -> list[dict[str, Any]]:
    """Collect frames up to the first one that is `done`."""
    frames = []
    while True:
        frames.append(await socket.frame())
        if done(frames[-1]):
            return frames


def is_idle(frame: dict[str, Any]) -> bool:
    return any(op["op"] == "run" and op["state"] == "idle" for op in frame.get("ops", []))


@pytest.fixture
def conversation_id(asker: Persona) -> uuid.UUID:  # noqa: F811  fixture
    return create_conversation(asker.actor).pk


def question(text: str = "Why?", client_id: str = "c1") -> dict[str, Any]:
    return {"type": "message.send", "text": text, "client_id": client_id}


async def in_space(persona: Persona, function: Callable[..., Any], *args: Any) -> Any:
    def call() -> Any:
        with space_scope(persona.space.pk):
            return function(*args)

    return await in_db(call)


async def test_question_is_answered_over_the_socket(
    asker: Persona,  # noqa: F811
    script: Play,  # noqa: F811
    conversation_id: uuid.UUID,
) -> None:
    script([say("Because ", "of **reasons**.")])
    async with window(asker, conversation_id) as socket:
        assert (await socket.open())["type"] == "websocket.accept"
        await socket.say(question())
        started = await frames_until(socket, lambda frame: frame.get("op") == "ack")
        assert "Why?" in started[0]["ops"][0]["html"]
        await in_db(work, "runs")
        frames = await frames_until(socket, is_idle)
    numbered = [frame for frame in frames if frame.get("seq")]
    assert numbered[0]["from"] == 1
    assert all(b["from"] == a["seq"] + 1 for a, b in zip(numbered, numbered[1:], strict=False))
    final = [op for op in frames[-1]["ops"] if op["op"] == "md.end"]
    assert "<strong>reasons</strong>" in final[0]["html"]


async def test_a_window_that_is_told_nothing_looks_at_the_rows(
    asker: Persona,  # noqa: F811
    script: Play,  # noqa: F811
    conversation_id: uuid.UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumers, "CATCH_UP_SECONDS", 0.2)
    monkeypatch.setattr(store, "publish_events", lambda *_: None)  # each publication is lost
    script([say("Because.")])
    async with window(asker, conversation_id) as socket:
        await socket.open()
        await socket.say(question())
        await frames_until(socket, lambda frame: frame.get("op") == "ack")
        await in_db(work, "runs")
        frames = await frames_until(socket, is_idle)
    assert "Because." in json.dumps(frames[-1])


async def test_window_that_comes_late_gets_the_same_frames_again(
    asker: Persona,  # noqa: F811
    script: Play,  # noqa: F811
    conversation_id: uuid.UUID,
) -> None:
    script([say("One ", "two.")])
    async with window(asker, conversation_id) as first:
        await first.open()
        await first.say(question())
        started = await frames_until(first, lambda frame: frame.get("op") == "ack")
        run_id = started[0]["run"]
        await in_db(work, "runs")
        live = await frames_until(first, is_idle)
    async with window(asker, conversation_id) as second:
        await second.open()
        await second.say({"type": "resume", "run_id": run_id, "after": 2})
        again = await frames_until(second, is_idle)
    assert [f["seq"] for f in again] == [f["seq"] for f in live if f.get("seq", 0) > 2]
    assert again[-1]["ops"][-5:] == live[-1]["ops"][-5:]


async def test_conversation_of_somebody_else_is_closed(
    asker: Persona,  # noqa: F811
    adam: Persona,
    mallory: Persona,
    conversation_id: uuid.UUID,
) -> None:
    for stranger in (adam, mallory):
        async with window(stranger, conversation_id) as socket:
            await socket.open()
            assert (await socket.hear())["code"] == 4404


async def test_run_of_somebody_else_cannot_be_resumed_or_stopped(
    asker: Persona,  # noqa: F811
    adam: Persona,
    conversation_id: uuid.UUID,
) -> None:
    async with window(asker, conversation_id) as socket:
        await socket.open()
        await socket.say(question())
        run_id = (await frames_until(socket, lambda f: f.get("op") == "ack"))[0]["run"]
    own = await in_space(adam, lambda: create_conversation(adam.actor))
    async with window(adam, own.pk) as socket:
        await socket.open()
        for frame in (
            {"type": "resume", "run_id": run_id, "after": 0},
            {"type": "run.stop", "run_id": run_id},
        ):
            await socket.say(frame)
            answer = await socket.frame()
            assert (answer["op"], answer["text"]) == ("error", "There is no such run.")


async def test_stranger_is_refused() -> None:
    socket = Window(None, uuid.uuid4())
    assert await socket.open() == {"type": "websocket.close", "code": 4401}
    await socket.close()


async def test_person_who_is_removed_hears_nothing_more(
    asker: Persona,  # noqa: F811
    conversation_id: uuid.UUID,
) -> None:
    async with window(asker, conversation_id) as socket:
        await socket.open()
        await in_db(Membership.objects.filter(user=asker.user).delete)
        await socket.say(question())
        assert (await socket.hear())["code"] == 4401


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (question(text="x" * 100_000), "100,000 characters"),
        (question(text=" "), "Write a question"),
        ({"type": "message.send", "text": "hi"}, "client_id"),
        ({"type": "launch"}, "launch"),
    ],
    ids=["too long", "blank", "no client id", "unknown"],
)
async def test_frame_that_cannot_be_carried_out_is_told(
    asker: Persona,  # noqa: F811
    conversation_id: uuid.UUID,
    frame: dict[str, Any],
    says: str,
) -> None:
    async with window(asker, conversation_id) as socket:
        await socket.open()
        await socket.say(frame)
        answer = await socket.frame()
        assert answer["op"] == "error"
        assert says in answer["text"]


async def test_window_on_a_deleted_conversation_is_told_and_closed(
    asker: Persona,  # noqa: F811
    conversation_id: uuid.UUID,
) -> None:
    async with window(asker, conversation_id) as socket:
        await socket.open()
        await socket.say(question())
        await frames_until(socket, lambda frame: frame.get("op") == "ack")
        await in_space(
            asker, lambda: delete_conversation(asker.actor, conversation_id=conversation_id)
        )
        frames = await frames_until(socket, lambda frame: frame.get("op") == "error")
        assert any(is_idle(frame) for frame in frames)
        assert "deleted" in frames[-1]["text"]
        assert (await socket.hear())["code"] == 4404
