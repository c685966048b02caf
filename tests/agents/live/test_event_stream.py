"""Server-Sent Events of a run: from the rows, taken up again, and only for who may read them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.test import AsyncClient
from django.urls import reverse

from accounts.models import Membership
from agents.constants import RunState
from agents.engine.events import AgentEvent, AnswerDelta, RunFinished, RunStarted, number_event
from agents.live import event_stream as module
from agents.models import AgentRun, RunEvent
from core.aio import in_db
from core.tenancy import space_scope
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.personas import LOGIN_BACKEND, Persona

pytestmark = pytest.mark.django_db(transaction=True)


def store(run: AgentRun, *events: AgentEvent) -> None:
    with space_scope(run.space_id):
        for event in events:
            if isinstance(event, RunFinished):
                AgentRun.objects.filter(pk=run.pk).update(state=RunState.DONE)
            run.last_seq += 1
            data = number_event(event, run.last_seq).model_dump(mode="json")
            RunEvent.objects.create(
                space_id=run.space_id,
                run=run,
                seq=run.last_seq,
                seq_to=run.last_seq,
                type=event.type,
                data=data,
            )
        AgentRun.objects.filter(pk=run.pk).update(last_seq=run.last_seq)


def began(cora: Persona) -> AgentRun:
    conversation = make_conversation(
        cora.space, user=cora.user, agent=make_agent(cora.space, name="Reasoner")
    )
    run = make_run(conversation, state=RunState.RUNNING)
    store(run, RunStarted(question="Why?", mode="react"), AnswerDelta(text="Be"))
    return run


END = RunFinished(outcome="answered", reason="natural_stop", answer="Because.")


async def opened(persona: Persona, run: AgentRun, *, last: str = "") -> Any:
    client = AsyncClient()
    await client.aforce_login(persona.user, backend=LOGIN_BACKEND)
    headers = {"Last-Event-ID": last} if last else {}
    return await client.get(reverse("run_events", args=[run.pk]), headers=headers)


def read(piece: bytes) -> tuple[int, str] | None:
    lines = dict(line.split(": ", 1) for line in piece.decode().strip().split("\n"))
    if "id" not in lines:
        return None
    assert json.loads(lines["data"])["seq_to"] == int(lines["id"])
    return int(lines["id"]), lines["event"]


async def test_the_stream_goes_on_with_what_comes_and_ends_with_the_run(
    cora: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    run = await in_db(began, cora)
    response = await opened(cora, run)
    assert response["Content-Type"] == "text/event-stream"
    found = []
    async with asyncio.timeout(20):
        async for piece in response.streaming_content:
            if read(piece):
                found.append(read(piece))
            if len(found) == 2:
                await in_db(store, run, AnswerDelta(text="cause."), END)
    assert found == [
        (1, "run_started"),
        (2, "answer_delta"),
        (3, "answer_delta"),
        (4, "run_finished"),
    ]


async def test_a_lost_connection_goes_on_behind_the_last_event(cora: Persona) -> None:
    run = await in_db(began, cora)
    await in_db(store, run, END)
    response = await opened(cora, run, last="2")
    pieces = [read(piece) async for piece in response.streaming_content]
    assert pieces == [(3, "run_finished")]


@pytest.mark.parametrize("last", ["3", "99999"])
async def test_who_has_all_of_a_finished_run_need_not_come_back(cora: Persona, last: str) -> None:
    run = await in_db(began, cora)
    await in_db(store, run, END)
    response = await opened(cora, run, last=last)
    assert response.status_code == 204


async def test_a_wrong_number_is_told(cora: Persona) -> None:
    run = await in_db(began, cora)
    response = await opened(cora, run, last="-1")
    assert response.status_code == 400


async def test_who_loses_the_membership_hears_nothing_more(
    cora: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    run = await in_db(began, cora)
    response = await opened(cora, run)
    found = []
    async with asyncio.timeout(20):
        async for piece in response.streaming_content:
            found.append(read(piece))
            if len(found) == 2:
                await in_db(Membership.objects.filter(user=cora.user).delete)
                await in_db(store, run, END)
    assert found == [(1, "run_started"), (2, "answer_delta")]
