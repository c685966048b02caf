"""Long results: kept whole, read page by page, in the reader's own aliases."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest

from agents import catalogue
from agents.engine.aliases import Aliases, Source
from agents.engine.testing import FakeTool, ScriptedModel, call, calls, raw_call, say
from agents.models import AgentRun, RunEvent, StoredResult
from agents.runs.results import RunResults
from agents.runs.store import LeaseLost, take_lease
from agents.services.conversations import Question, ask
from agents.tools import registry
from providers.contracts.chat import ChatChunk
from tests.agents.runs.conftest import Script, carry_out, put
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
LONG = "".join(f"line {number:05}\n" for number in range(4000))


@pytest.fixture(autouse=True)
def a_tool_of_many_words(monkeypatch: pytest.MonkeyPatch, a_base: object) -> FakeTool:
    """Offer a tool whose result is too long."""
    fake = FakeTool("list_all", answer=LONG)
    monkeypatch.setitem(registry._tools, "list_all", fake.tool())
    monkeypatch.setattr(catalogue, "DEFAULT_TOOLS", ("list_all",))
    return fake


def read(run: AgentRun, number: int = -1) -> str:
    rows = RunEvent.objects.filter(run=run, type="tool_call_finished").order_by("seq")
    return str([row.data["output"] for row in rows][number])


def test_long_result_is_cut_with_a_hint_and_read_on(asker: Persona, script: Play) -> None:
    script(
        [
            calls(call("list_all", call_id="big")),
            calls(call("READ_TOOL_RESULT", toolCallId="big", offset=11000, limit=22)),
            say("Done."),
        ]
    )
    run = put(asker, "List all.")
    carry_out()
    assert 'read_tool_result with call_id "big"' in read(run, 0)
    assert StoredResult.objects.get(run=run).text == LONG
    assert read(run).startswith("line 01000\nline 01001\n")
    assert "next_offset=11022" in read(run)


def test_last_page_says_that_it_is_the_last(asker: Persona, script: Play) -> None:
    turns = [calls(call("list_all", call_id="big"))]
    turns.append(calls(page("r1", call_id="big", offset=len(LONG) - 11)))
    turns.append(calls(page("r2", call_id="big", offset=len(LONG) + 5)))
    script([*turns, say("Done.")])
    run = put(asker, "List all.")
    carry_out()
    assert read(run, 1).startswith("line 03999\n")
    assert "That is the end." in read(run, 1)
    assert "There is nothing behind character 44,000" in read(run, 2)


def page(own_id: str, **arguments: object) -> list[ChatChunk]:
    return raw_call("read_tool_result", json.dumps(arguments), call_id=own_id)


def test_unknown_id_is_answered_with_the_known_ones(asker: Persona, script: Play) -> None:
    script(
        [
            calls(call("list_all", call_id="big")),
            calls(page("r", call_id="small")),
            say("Done."),
        ]
    )
    run = put(asker, "List all.")
    carry_out()
    assert "Kept here: big." in read(run)


def test_result_of_another_conversation_is_not_read(asker: Persona, script: Play) -> None:
    script(
        [
            calls(call("list_all", call_id="big")),
            say("Done."),
            calls(page("r", call_id="big")),
            say("No."),
        ]
    )
    put(asker, "List all.")
    carry_out()
    other = put(asker, "Read on.")
    carry_out()
    assert "No long result is kept under 'big'" in read(other)


def test_result_of_an_earlier_turn_is_read_in_this_runs_aliases(
    asker: Persona, script: Play
) -> None:
    script([say("One."), calls(page("r", call_id="big")), say("Two.")])
    first = put(asker, "First?")
    carry_out()
    chunk = str(uuid4())
    source = Source(alias="c7", kind="chunk", target=chunk, title="Lease")
    first.refresh_from_db()
    first.loop_state["aliases"]["sources"]["c7"] = source.model_dump()
    first.save()
    StoredResult.objects.create(
        space_id=first.space_id, run=first, call_id="big", text="Rent is 900 [c7], not c8."
    )
    second = ask(asker.actor, Question(text="And?"), conversation_id=first.conversation_id)
    carry_out()
    assert read(second).startswith("Rent is 900 [c1], not c8.")
    second.refresh_from_db()
    sources = Aliases.model_validate(second.loop_state["aliases"]).sources
    assert sources["c1"].target == chunk


async def test_worker_without_the_lease_keeps_nothing(asker: Persona, script: Play) -> None:
    from core.aio import in_db

    run = await in_db(put, asker, "Who?")
    taken = await in_db(take_lease, run.pk)
    assert taken is not None
    old = replace(taken[0], epoch=taken[0].epoch - 1)
    with pytest.raises(LeaseLost):
        await RunResults(old, space_id=run.space_id).keep("big", LONG)
    assert not await in_db(StoredResult.objects.exists)
