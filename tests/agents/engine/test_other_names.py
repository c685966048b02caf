"""Tools and arguments under the names that other platforms gave them."""

from __future__ import annotations

import json

import pytest

from agents.engine.testing import (
    FakeTool,
    ScriptedModel,
    a_loop,
    a_run,
    calls,
    events_of,
    raw_call,
    say,
)

PARAMETERS = {
    "type": "object",
    "properties": {"task_id": {"type": "string"}, "wait": {"type": "boolean"}},
    "required": ["task_id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("name", "written", "received"),
    [
        ("ask", {"task_id": "t"}, {"task_id": "t"}),
        ("ask", {"taskId": "t"}, {"task_id": "t"}),
        ("ask", {"TASK-ID": "t"}, {"task_id": "t"}),
        ("ask", {"job": "t"}, {"task_id": "t"}),
        ("ask", {"task_id": "t", "taskId": "other"}, {"task_id": "t"}),
        ("SUBMIT_ASK", {"task_id": "t"}, {"task_id": "t", "wait": False}),
        ("submit ask", {"task_id": "t"}, {"task_id": "t", "wait": False}),
        ("SUBMIT_ASK", {"task_id": "t", "wait": True}, {"task_id": "t", "wait": True}),
    ],
)
async def test_other_names_mean_the_same(
    name: str, written: dict[str, object], received: dict[str, object]
) -> None:
    fake = FakeTool("ask", parameters=PARAMETERS)
    tool = fake.tool(
        also_known_as=("SUBMIT_ASK",),
        implied={"SUBMIT_ASK": {"wait": False}},
        argument_names={"job": "task_id"},
    )
    with ScriptedModel([calls(raw_call(name, json.dumps(written))), say("Done.")]) as model:
        events = await events_of(a_loop(model, tool), a_run())
    assert fake.calls == [received]
    assert {event.name for event in events if event.type == "tool_call_started"} == {"ask"}
