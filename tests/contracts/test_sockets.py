"""Sockets × personas: a window on a conversation is its person's, as long as they are a member."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from django.core.cache import cache

from accounts.models import Space
from accounts.services.members import leave_space
from agents.constants import RunState
from agents.consumers import CLOSE_NOT_FOUND
from agents.models import AgentRun, Conversation
from agents.runs.publish import group_of
from core.aio import in_db
from core.tenancy import space_scope, unscoped
from tests.contracts.access_table import PEOPLE
from tests.contracts.sockets import socket_of
from tests.contracts.world import World, make_world
from tests.factories.accounts import make_member, make_space
from tests.factories.agents import make_conversation, make_run
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
QUIET_SECONDS = 0.5
PATIENCE_SECONDS = 20.0
"""For an answer that must come, however busy the machine is."""


@pytest.fixture
def world(
    olivia: Persona,
    adam: Persona,
    cora: Persona,
    victor: Persona,
    mallory: Persona,
    settings: Any,
    tmp_path: Any,
) -> World:
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    people = (olivia, adam, cora, victor, mallory)
    return make_world(dict(zip(PEOPLE[:5], people, strict=True)))


@asynccontextmanager
async def window(
    persona: Persona | None, conversation: Conversation
) -> AsyncIterator[ApplicationCommunicator]:
    """Open the conversation's socket as this person."""
    socket = socket_of(persona, f"/ws/conversations/{conversation.pk}/")
    await socket.send_input({"type": "websocket.connect"})
    try:
        yield socket
    finally:
        await socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await socket.wait(timeout=5)


async def outputs(socket: ApplicationCommunicator) -> list[dict[str, Any]]:
    """Return what the server sent until it falls silent; it may take its time to begin."""
    found = [await socket.receive_output(timeout=PATIENCE_SECONDS)]
    found += await more_outputs(socket)
    return found


async def more_outputs(socket: ApplicationCommunicator) -> list[dict[str, Any]]:
    """Return what the server sends on, which may be nothing."""
    found = []
    while not await socket.receive_nothing(timeout=QUIET_SECONDS):
        found.append(await socket.receive_output(timeout=5))
    return found


def types_of(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


@pytest.mark.parametrize("name", PEOPLE)
async def test_a_conversation_opens_for_its_person_alone(world: World, name: str) -> None:
    async with window(world.people.get(name), world.conversation) as socket:
        sent = await outputs(socket)
    assert ("websocket.close" in types_of(sent)) == (name != "olivia")
    assert not any("flaps" in str(message.get("text")) for message in sent)


async def test_an_owner_who_may_open_a_conversation_has_no_window_on_it(world: World) -> None:
    """Opening is reading, on a page that writes it down; a window could ask."""
    cora = world.people["cora"]
    theirs = await in_db(lambda: make_conversation(cora.space, user=cora.user, title="Secret"))
    await in_db(Space.objects.filter(pk=cora.space.pk).update, owners_may_open_conversations=True)
    async with window(world.people["olivia"], theirs) as socket:
        sent = await outputs(socket)
    assert [message for message in sent if message["type"] == "websocket.close"] == [
        {"type": "websocket.close", "code": CLOSE_NOT_FOUND}
    ]
    assert "Secret" not in str(sent)


def _frames(world: World) -> dict[str, dict[str, Any]]:
    """Frames that name things of space A."""
    question = {"type": "message.send", "text": "flaps?", "client_id": uuid4().hex}
    return {
        "resume": {"type": "resume", "run_id": str(world.run.pk), "after": 0},
        "stop": {"type": "run.stop", "run_id": str(world.run.pk)},
        "decide": {
            "type": "approval.decide",
            "approval_id": str(world.approval.pk),
            "decision_hash": world.approval.decision_hash,
            "resolution": "approved",
        },
        "ask a base": {**question, "base_ids": [str(world.base.pk)]},
        "ask an agent": {**question, "agent_id": str(world.agent.pk)},
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mallory", "resume"),
        ("mallory", "stop"),
        ("mallory", "ask a base"),
        ("mallory", "ask an agent"),
        ("victor", "resume"),
        ("victor", "stop"),
        ("mallory", "decide"),
        ("victor", "decide"),
    ],
)
async def test_frames_reach_nothing_of_others(world: World, name: str, kind: str) -> None:
    persona = world.people[name]
    own = await in_db(lambda: make_conversation(persona.space, user=persona.user))
    async with window(persona, own) as socket:
        assert types_of(await outputs(socket)) == ["websocket.accept"]
        await socket.send_input(
            {"type": "websocket.receive", "text": json.dumps(_frames(world)[kind])}
        )
        first = await socket.receive_output(timeout=PATIENCE_SECONDS)
        answers = [json.loads(message["text"]) for message in [first, *await more_outputs(socket)]]
    assert [answer["op"] for answer in answers] == ["error"], answers
    assert "Check the flaps" not in str(answers)
    assert await in_db(_state_and_count, world) == (RunState.DONE, 1)


def _state_and_count(world: World) -> tuple[str, int]:
    with unscoped(reason="test"):
        return AgentRun.objects.get(pk=world.run.pk).state, AgentRun.objects.count()


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in no space", "still in another"])
async def test_who_lost_the_membership_hears_nothing_more(
    world: World, broker: str, elsewhere: bool
) -> None:
    cora = world.people["cora"]
    talk, run_id = await in_db(_talk_of, cora)
    async with window(cora, talk) as socket:
        await outputs(socket)
        resume = {"type": "resume", "run_id": run_id, "after": 0}
        await socket.send_input({"type": "websocket.receive", "text": json.dumps(resume)})
        await more_outputs(socket)
        await in_db(_end_membership, cora, elsewhere)
        assert types_of(await outputs(socket)) == ["websocket.close"]
        event = {"type": "answer_delta", "text": "The secret."}
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_send(
            group_of(talk.pk),
            {
                "type": "run.events",
                "run_id": run_id,
                "events": [{"seq": 1, "seq_to": 1, "event": event}],
            },
        )
        assert "websocket.send" not in types_of(await more_outputs(socket))


def _talk_of(persona: Persona) -> tuple[Conversation, str]:
    talk = make_conversation(persona.space, user=persona.user)
    run = make_run(talk, state=RunState.RUNNING)
    return talk, str(run.pk)


def _end_membership(persona: Persona, elsewhere: bool) -> None:
    if elsewhere:
        make_member(make_space(), user=persona.user)
    with space_scope(persona.space.pk):
        leave_space(persona.user, space_id=persona.space.pk)


def test_the_frames_above_are_all_there_are() -> None:
    """A new kind of frame needs its case here."""
    from agents.consumers import _CLIENT_FRAMES

    kinds: Callable[[], dict[str, Any]] = _CLIENT_FRAMES.json_schema
    assert set(kinds()["discriminator"]["mapping"]) == {
        "message.send",
        "run.stop",
        "approval.decide",
        "resume",
    }
