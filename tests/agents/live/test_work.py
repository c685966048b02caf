"""Plan, called agents and files in the chat: the same live and after a reload."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.template.loader import render_to_string

from agents.engine.events import AgentEvent, ToolCallFinished, ToolCallStarted
from agents.live.frames import frame_of_event
from agents.live.presentation import card_context
from agents.live.run_view import RunView
from agents.live.work import child_of, files_of, plan_of
from agents.runs.family import child_id_of

RUN = str(uuid4())


def plan(*statuses: str) -> dict[str, Any]:
    steps = [
        {"id": str(n), "description": f"Step {n}", "status": status}
        for n, status in enumerate(statuses, start=1)
    ]
    done = statuses.count("completed")
    return {
        "display_type": "plan",
        "task": "Compare",
        "steps": steps,
        "completed": done,
        "total": len(steps),
    }


def file(name: str = "r.md", *, version: int = 1) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "name": name,
        "version": version,
        "size_bytes": 2048,
        "media_type": "text/markdown",
    }


def started(call_id: str, name: str, /, **arguments: Any) -> ToolCallStarted:
    return ToolCallStarted(
        seq=1, round=1, call_id=call_id, name=name, arguments=arguments, title=name
    )


def finished(call_id: str, name: str, data: dict[str, Any], *, ok: bool = True) -> ToolCallFinished:
    return ToolCallFinished(
        seq=2,
        round=1,
        call_id=call_id,
        name=name,
        ok=ok,
        output="output",
        summary="done",
        data=data,
        duration_ms=1,
    )


def view_of(*events: AgentEvent) -> RunView:
    view = RunView(run_id=RUN)
    for event in events:
        view.fold(event)
    return view


def test_newest_plan_is_shown_and_a_failed_call_leaves_it() -> None:
    view = view_of(
        started("a", "todo_write"),
        finished("a", "todo_write", plan("in_progress", "pending")),
        started("b", "todo_write"),
        finished("b", "todo_write", plan("completed", "in_progress")),
        started("c", "todo_write"),
        finished("c", "todo_write", {}, ok=False),
    )
    shown = plan_of(view)
    assert shown is not None
    assert shown["completed"] == 1


def test_plan_is_brought_up_to_date_in_place() -> None:
    view = view_of(started("a", "todo_write"))
    frame = frame_of_event(view, finished("a", "todo_write", plan("completed")), seq_to=2)
    [op] = [each for each in frame["ops"] if each.get("to") == f"#run-{RUN}-plan"]
    assert op["op"] == "html"
    assert op["html"] == render_to_string("chat/_plan.html", {"plan": plan_of(view)})
    assert "Step 1" in op["html"]


def test_called_agent_can_be_followed_while_it_works() -> None:
    view = view_of(started("ask", "call_agent", agent="Expert", task="Look."))
    card = view.card("ask")
    assert card is not None
    child = child_of(RUN, card)
    assert child is not None
    assert (child["agent"], child["state"]) == ("Expert", "Working")
    assert str(child_id_of(UUID(RUN), "ask")) in child["url"] or child["url"] == ""


def test_card_of_a_called_agent_tells_how_it_ended() -> None:
    data = {
        "display_type": "child",
        "child": {"run_id": str(uuid4()), "agent": "Expert", "state": "done", "rounds": 2},
        "files": [file()],
    }
    view = view_of(started("ask", "call_agent"), finished("ask", "call_agent", data))
    card = view.card("ask")
    assert card is not None
    html = render_to_string("chat/_tool_card.html", {"call": card_context(RUN, card)})
    assert "Expert" in html
    assert "Done · rounds: 2" in html
    assert "r.md" in html


def test_files_stand_behind_the_answer_each_once() -> None:
    one, two = file("a.csv"), file("b.md", version=3)
    again = {"display_type": "child", "child": {}, "files": [one]}
    view = view_of(
        started("p", "publish_artifact", name="a.csv", content="x" * 9000),
        finished("p", "publish_artifact", {"display_type": "artifact", "file": one}),
        started("q", "publish_artifact", name="b.md", content="y"),
        finished("q", "publish_artifact", {"display_type": "artifact", "file": two}),
        started("s", "check_task_status"),
        finished("s", "check_task_status", again),
    )
    assert [each["name"] for each in files_of(view)] == ["a.csv", "b.md"]
    assert files_of(view)[1]["facts"].startswith("Version 3")


@pytest.mark.parametrize("name", ["publish_artifact", "list_all"])
def test_long_arguments_do_not_fill_the_page(name: str) -> None:
    view = view_of(started("p", name, content="x" * 9000))
    card = view.card("p")
    assert card is not None
    shown = dict(card_context(RUN, card)["arguments"])
    assert len(shown.get("content", "")) <= 2001
