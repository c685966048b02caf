"""The card in the chat: by frames, after a reload, in every window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.urls import reverse

from agents.approvals.decide import decide
from agents.engine.testing import FakeTool, ScriptedModel
from agents.models import Approval
from agents.services.conversations import create_conversation, stop_run
from core.aio import in_db
from core.jobs.work import work
from core.tenancy import space_scope
from tests.agents.live.test_consumer import frames_until, is_idle, question, window
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
Play = Callable[..., ScriptedModel]


def html_of(frames: list[dict[str, Any]]) -> str:
    return " ".join(op.get("html", "") for frame in frames for op in frame.get("ops", []))


def ops_of(frames: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [op for frame in frames for op in frame.get("ops", []) if op["op"] == name]


def asks(frame: dict[str, Any]) -> bool:
    return "Needs your approval" in html_of([frame])


def is_decided(frame: dict[str, Any]) -> bool:
    return "Cora approved" in html_of([frame])


async def in_space(persona: Persona, function: Callable[..., Any], *args: Any, **more: Any) -> Any:
    def call() -> Any:
        with space_scope(persona.space.pk):
            return function(*args, **more)

    return await in_db(call)


def only_row() -> Approval:
    return Approval.objects.get()


@pytest.fixture
def conversation_id(asker: Persona) -> UUID:
    return create_conversation(asker.actor).pk


async def test_card_is_decided_by_a_frame_and_all_windows_follow(
    asker: Persona, play: Play, send: FakeTool, conversation_id: UUID
) -> None:
    play()
    async with window(asker, conversation_id) as one, window(asker, conversation_id) as two:
        await one.open()
        await two.open()
        await one.say(question())
        await frames_until(one, lambda frame: frame.get("op") == "ack")
        await in_db(work, "runs")
        shown = await frames_until(one, asks)
        assert [op["level"] for op in ops_of(shown[-1:], "say")] == ["assertive"]
        assert "Waiting for your approval" in html_of(shown)
        await frames_until(two, asks)
        row = await in_space(asker, only_row)
        await one.say(
            {
                "type": "approval.decide",
                "approval_id": str(row.pk),
                "decision_hash": row.decision_hash,
                "resolution": "approved",
            }
        )
        await frames_until(one, is_decided)
        await frames_until(two, is_decided)
        await in_db(work, "runs")
        assert "Done." in html_of(await frames_until(one, is_idle))
        await frames_until(two, is_idle)
    assert send.calls == [{"to": "ada"}]


async def test_refused_decision_is_told_in_words(
    asker: Persona, play: Play, conversation_id: UUID
) -> None:
    play()
    async with window(asker, conversation_id) as socket:
        await socket.open()
        await socket.say(question())
        await frames_until(socket, lambda frame: frame.get("op") == "ack")
        await in_db(work, "runs")
        await frames_until(socket, asks)
        row = await in_space(asker, only_row)
        frame = {
            "type": "approval.decide",
            "approval_id": str(row.pk),
            "decision_hash": "0" * 64,
            "resolution": "approved",
        }
        await socket.say(frame)
        (refusal,) = await frames_until(socket, lambda frame: frame.get("op") == "error")
    assert "another call" in refusal["text"]


def page_of(asker: Persona, row: Approval) -> str:
    url = reverse("conversation", args=[row.run.conversation_id])
    page: str = asker.client.get(url).content.decode()
    return page


def test_reloaded_page_shows_the_open_card_and_how_long_it_waits(
    asker: Persona, waiting: Approval
) -> None:
    page = page_of(asker, waiting)
    assert "Waiting for your approval · 23" in page
    assert f'action="{reverse("approval_decide", args=[waiting.pk])}"' in page
    assert page.count("csrfmiddlewaretoken") >= 2


def test_reloaded_page_shows_what_was_decided(asker: Persona, waiting: Approval) -> None:
    decide(
        asker.actor,
        approval_id=waiting.pk,
        decision_hash=waiting.decision_hash,
        resolution="approved",
    )
    assert "Cora approved" in page_of(asker, waiting)
    assert work("runs")
    assert "Cora approved" in page_of(asker, waiting)


def test_page_of_a_stopped_run_shows_that_nobody_decided(asker: Persona, waiting: Approval) -> None:
    stop_run(asker.actor, run_id=waiting.run_id)
    assert work("runs")
    assert "stopped before anybody decided" in page_of(asker, waiting)


def test_four_eyes_leave_the_asker_no_buttons(
    asker: Persona, adam: Persona, waiting: Approval
) -> None:
    from agents.approvals.spaces import change_space_rules

    change_space_rules(
        adam.actor, deciders="others", named_ids=[], timeout_seconds=3600, ask_for_high_risk=True
    )
    page = page_of(asker, waiting)
    assert "Somebody else decides" in page
    assert 'value="approved"' not in page
    assert "Waiting for approval · " in page
