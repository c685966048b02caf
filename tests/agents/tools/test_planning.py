"""Thinking and planning: what the model reads back, and what people see."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from agents.engine.testing import ScriptedModel, call, calls, say
from agents.models import AgentRun, RunEvent
from tests.agents.runs.conftest import Script, carry_out, put
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]


def thought(number: int, *, more: bool = True, **fields: Any) -> dict[str, Any]:
    return {
        "thought": f"Thought {number}.",
        "thought_number": number,
        "total_thoughts": 3,
        "next_thought_needed": more,
        **fields,
    }


def outputs(run: AgentRun) -> list[dict[str, object]]:
    rows = RunEvent.objects.filter(run=run, type="tool_call_finished").order_by("seq")
    return [row.data for row in rows]


def test_thinking_counts_the_runs_own_thoughts_and_branches(asker: Persona, script: Play) -> None:
    script(
        [
            calls(call("thinking", call_id="t1", **thought(1))),
            calls(
                call("thinking", call_id="t2", **thought(2, branch_from_thought=1, branch_id="b"))
            ),
            calls(call("thinking", call_id="t3", **thought(4, more=False))),
            say("Done."),
        ]
    )
    run = put(asker, "Which is better?")
    carry_out()
    read = [json.loads(str(each["output"])) for each in outputs(run)]
    assert [each["thought_history_length"] for each in read] == [1, 2, 3]
    assert [each["incomplete"] for each in read] == [True, True, False]
    assert [each["branches"] for each in read] == [[], ["b"], ["b"]]
    assert read[-1]["total_thoughts"] == 4


def test_thoughts_of_another_run_do_not_count(asker: Persona, script: Play) -> None:
    turn = calls(call("thinking", call_id="t", **thought(1)))
    script([turn, say("One."), turn, say("Two.")])
    first = put(asker, "First?")
    carry_out()
    second = put(asker, "Second?")
    carry_out()
    lengths = [json.loads(str(outputs(run)[0]["output"])) for run in (first, second)]
    assert [each["thought_history_length"] for each in lengths] == [1, 1]


PLAN = [
    {"id": "1", "description": "Rent in lease A", "status": "completed"},
    {"id": "2", "description": "Rent in lease B", "status": "in_progress"},
    {"id": "3", "description": "Deposit", "status": "pending"},
]


def test_plan_is_read_back_and_shown(asker: Persona, script: Play, a_base: None) -> None:
    script([calls(call("UPDATE_TODO_LIST", task="Compare", todos=PLAN)), say("Done.")])
    run = put(asker, "Compare the leases.")
    carry_out()
    [done] = outputs(run)
    assert done["name"] == "todo_write"
    assert str(done["output"]).splitlines() == [
        "Plan: Compare",
        "[x] 1. Rent in lease A",
        "[>] 2. Rent in lease B",
        "[ ] 3. Deposit",
        "1 of 3 steps are done. Next: Rent in lease B",
    ]
    data = done["data"]
    assert isinstance(data, dict)
    assert (data["display_type"], data["steps"]) == ("plan", PLAN)


def test_there_is_no_plan_where_nothing_can_be_searched(asker: Persona, script: Play) -> None:
    model = script([say("Hello.")])
    put(asker, "Hello?")
    carry_out()
    names = {each.name for each in model.tools[0]}
    assert "thinking" in names
    assert names.isdisjoint({"todo_write", "knowledge_search", "grep_chunks"})


def test_a_base_brings_search_and_plan(asker: Persona, script: Play, a_base: None) -> None:
    model = script([say("Hello.")])
    put(asker, "Hello?")
    carry_out()
    names = [each.name for each in model.tools[0]]
    assert {"todo_write", "thinking", "knowledge_search", "grep_chunks"} <= set(names)
    assert names == sorted(names)


def test_agents_own_list_is_kept(asker: Persona, script: Play, a_base: None) -> None:
    from agents.models import Agent

    Agent.objects.update(config={"allowed_tools": ["grep_chunks"]})
    model = script([say("Hello.")])
    put(asker, "Hello?")
    carry_out()
    names = {each.name for each in model.tools[0]}
    assert "grep_chunks" in names
    assert names.isdisjoint({"thinking", "todo_write", "knowledge_search"})
