"""One tool call: from what the model wrote to what it reads."""

from __future__ import annotations

import logging
from typing import Annotated

import pytest
from pydantic import Field

from agents.engine.calls import ToolOutcome
from agents.engine.execution import normalise_ids
from agents.engine.history import cut_to_budget
from agents.engine.limits import RunLimits
from agents.engine.signatures import ChunkId
from agents.engine.testing import (
    FakeTool,
    Pause,
    ScriptedModel,
    a_loop,
    a_run,
    call,
    calls,
    events_of,
    failing,
    raw_call,
    say,
    told,
)
from agents.engine.tools import Tool, ToolContext, ToolResult, tool
from agents.engine.toolsets import Toolset
from providers.contracts.chat import ChatChunk, ToolCall


async def outcome_of(
    chunks: list[ChatChunk], *tools: Tool[None], **settings: object
) -> tuple[dict[str, object], str]:
    """Run one call; return its end as told to people, and what the model reads."""
    with ScriptedModel([calls(chunks), say("Done.")]) as model:
        events = await events_of(a_loop(model, *tools, **settings), a_run())
    ended = next(event for event in told(events) if event["type"] == "tool_call_finished")
    return ended, model.asked[1][-1].content


async def test_a_failure_is_told_to_the_model_with_advice() -> None:
    search = FakeTool(answer=failing("There is no page 'setup'.", code="not_found"))
    ended, read = await outcome_of(call("search"), search.tool())
    assert read == "There is no page 'setup'.\n[Read the error above and try a different way.]"
    assert (ended["ok"], ended["error_code"]) == (False, "not_found")


async def test_a_hiccup_invites_the_same_call_again() -> None:
    from agents.engine.errors import ToolFailed

    search = FakeTool(answer=ToolFailed("The index is busy.", retry=True))
    _, read = await outcome_of(call("search"), search.tool())
    assert "The same call may work" in read


async def test_an_unknown_tool_is_answered_with_the_nearest_one() -> None:
    ended, read = await outcome_of(call("serch_knowledge"), FakeTool("search_knowledge").tool())
    assert "Did you mean 'search_knowledge'?" in read
    assert ended["error_code"] == "unknown_tool"


@pytest.mark.parametrize(
    "name", ["Search-Knowledge", "functions.search_knowledge", "RAG_SEARCH", "search knowledge"]
)
async def test_a_tool_is_found_by_its_other_names(name: str) -> None:
    fake = FakeTool("search_knowledge")
    ended, _ = await outcome_of(call(name), fake.tool(also_known_as=("RAG_SEARCH",)))
    assert ended["ok"]
    assert ended["name"] == "search_knowledge"


async def test_a_crash_tells_its_kind_and_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    search = FakeTool(answer=ConnectionError("postgres://user:hunter2@db"))
    with caplog.at_level(logging.ERROR):
        ended, read = await outcome_of(call("search"), search.tool())
    assert "ConnectionError" in read
    assert "hunter2" not in read
    assert ended["error_code"] == "crashed"
    assert "tool search failed" in caplog.text


async def test_a_tool_that_takes_too_long_is_ended() -> None:
    slow = FakeTool(pause=Pause())
    ended, read = await outcome_of(call("search"), slow.tool(timeout_seconds=0.01))
    assert "took longer than 0.01 s" in read
    assert ended["error_code"] == "timed_out"


async def test_a_tools_own_limit_wins_over_the_toolsets_and_the_runs() -> None:
    slow = FakeTool(pause=Pause())
    toolset = Toolset.of([slow.tool()]).with_timeout(0.01)
    _, read = await outcome_of(call("search"), toolset=toolset)
    assert "took longer than 0.01 s" in read


async def test_one_failure_does_not_end_its_siblings() -> None:
    good, bad = FakeTool("good"), FakeTool("bad", answer=failing())
    turns = [calls(call("bad"), call("good", index=1)), say("Done.")]
    with ScriptedModel(turns) as model:
        await events_of(a_loop(model, good.tool(), bad.tool()), a_run())
    assert [message.content[:12] for message in model.asked[1][-2:]] == ["no such page", "found"]


async def test_unsafe_calls_run_alone_and_in_the_models_order() -> None:
    running: list[str] = []
    overlaps: list[list[str]] = []

    def watched(name: str, side_effects: str) -> Tool[None]:
        async def body(ctx: ToolContext[None], arguments: dict[str, object]) -> ToolResult:
            import asyncio

            running.append(name)
            overlaps.append(list(running))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            running.remove(name)
            return ToolResult(output=name)

        fake = FakeTool(name, side_effects=side_effects).tool()  # type: ignore[arg-type]  # a literal
        object.__setattr__(fake, "body", body)
        return fake

    turn = calls(
        call("read_a"), call("read_b", index=1), call("write_a", index=2), call("write_b", index=3)
    )
    tools = [watched("read_a", "none"), watched("read_b", "idempotent")]
    tools += [watched("write_a", "unsafe"), watched("write_b", "unsafe")]
    with ScriptedModel([turn, say("Done.")]) as model:
        await events_of(a_loop(model, *tools), a_run())
    assert overlaps == [["read_a"], ["read_a", "read_b"], ["write_a"], ["write_b"]]


async def test_no_more_calls_than_allowed_run_at_once() -> None:
    pauses = [Pause() for _ in range(3)]
    fakes = [FakeTool(f"t{n}", pause=pause) for n, pause in enumerate(pauses)]
    model = ScriptedModel([calls(*(call(f"t{n}", index=n) for n in range(3))), say("Done.")])
    loop = a_loop(model, *(fake.tool() for fake in fakes), limits=RunLimits(parallel_calls=2))
    finished = 0
    async for event in loop.run(a_run()):
        if event.type == "tool_call_started" and event.call_id == "t2":
            for pause in pauses[:2]:
                pause.go_on.set()
        if event.type == "tool_call_finished":
            finished += 1
            if finished == 1:
                assert sum(bool(fake.calls) for fake in fakes) >= 2
            pauses[2].go_on.set()
    assert finished == 3


async def test_arguments_are_cast_and_shown_as_they_are_run() -> None:
    parameters = {
        "type": "object",
        "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
        "required": ["queries"],
    }
    search = FakeTool(parameters=parameters)
    with ScriptedModel([calls(raw_call("search", "{'query': 'notice'}")), say("Done.")]) as model:
        events = await events_of(a_loop(model, search.tool()), a_run())
    started = next(event for event in told(events) if event["type"] == "tool_call_started")
    assert search.calls == [{"queries": ["notice"]}] == [started["arguments"]]


async def test_ids_reach_a_tool_decoded_and_leave_it_encoded() -> None:
    seen = []

    @tool()
    async def read_around(
        ctx: ToolContext[None],
        chunk_ids: Annotated[list[ChunkId], Field(description="Passages.")],
    ) -> str:
        """Read around passages."""
        seen.extend(chunk_ids)
        alias = ctx.aliases.chunk("chunk-2")
        return f"passage {alias} follows"

    state = a_run()
    state.aliases.chunk("chunk-1")
    turn = calls(call("read_around", chunk_ids=["c1"]))
    with ScriptedModel([turn, say("See [c2].")]) as model:
        events = await events_of(a_loop(model, read_around), state)
    assert seen == ["chunk-1"]
    assert told(events)[-1]["answer"] == "See [1]."


async def test_an_unknown_alias_is_a_failure_for_the_model() -> None:
    @tool()
    async def read_around(ctx: ToolContext[None], chunk_id: ChunkId) -> str:
        """Read around a passage."""
        raise AssertionError

    ended, read = await outcome_of(call("read_around", chunk_id="c9"), read_around)
    assert ended["error_code"] == "unknown_alias"
    assert "Search first" in read


async def test_a_long_output_keeps_its_head_and_its_tail() -> None:
    search = FakeTool(answer="a" * 9_000 + "z" * 9_000)
    ended, read = await outcome_of(call("search"), search.tool(output_budget_chars=1_000))
    assert len(read) <= 1_000
    assert read.startswith("a" * 600)
    assert read.endswith("z" * 250)
    assert "characters left out here" in read
    assert ended["output"] == read


async def test_a_result_that_is_too_long_can_be_read_on() -> None:
    kept = {}

    class Store:
        async def keep(self, call_id: str, output: str) -> str:
            kept[call_id] = output
            return "Read on with read_tool_result."

    search = FakeTool(answer="x" * 30_000)
    toolset = Toolset.of([search.tool()]).with_results(Store()).with_budget(500)
    _, read = await outcome_of(call("search"), toolset=toolset)
    assert kept == {"search": "x" * 30_000}
    assert "Read on with read_tool_result." in read


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 5_000])
def test_a_cut_text_is_never_longer_than_its_budget(size: int) -> None:
    assert len(cut_to_budget("x" * size, 100)) == min(size, 100)


def test_head_and_tail_are_seventy_to_thirty() -> None:
    cut = cut_to_budget("h" * 50_000 + "t" * 50_000, 10_000)
    assert abs(cut.count("h") / cut.count("t") - 7 / 3) < 0.05


async def test_a_tool_that_returns_nonsense_is_a_crash_not_an_engine_bug() -> None:
    fake = FakeTool().tool()

    async def body(ctx: object, arguments: object) -> object:
        return None

    object.__setattr__(fake, "body", body)
    ended, _ = await outcome_of(call("search"), fake)
    assert ended["error_code"] == "crashed"


async def test_what_a_tool_returns_can_be_stored() -> None:
    result = ToolResult(output="a\x00b \ud800", data={"a": float("nan"), "b": {1: object}})
    ended, read = await outcome_of(call("search"), FakeTool(answer=result).tool())
    assert read == "ab �"
    assert ended["data"] == {"a": None, "b": {"1": "<class 'object'>"}}


def test_ids_become_safe_and_unique() -> None:
    wild = [ToolCall(call_id=each, name="a") for each in ("a b/ü", "", "x", "x", "y" * 200)]
    ids = [c.call_id for c in normalise_ids(wild, round_number=3, taken=["x"])]
    assert ids == ["a_b", "call_3_2", "x_2", "x_3", "y" * 64]


def test_outcomes_survive_storage() -> None:
    outcome = ToolOutcome(call_id="a", name="b", ok=True, output="c", data={"d": [1]})
    assert ToolOutcome.model_validate_json(outcome.model_dump_json()) == outcome
