"""Tools with which a model orders its own work: thinking in steps, and a plan that people see."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.constants import CallState
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.models import ToolCall
from agents.tools.deps import RunDeps
from core.aio import in_db

PLAN = "plan"
"""`display_type` of a plan's data: the chat shows it as a card above the steps."""
_MARKS = {"pending": " ", "in_progress": ">", "completed": "x"}


class PlanStep(BaseModel):
    """One step of a plan."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1, max_length=60, description="Short id that stays the same.")
    description: str = Field(min_length=1, max_length=500, description="What is to be found out.")
    status: Literal["pending", "in_progress", "completed"] = Field(
        default="pending", description="How far it is."
    )


def _thought_title(arguments: Arguments) -> str:
    return f"Thinking, step {arguments['thought_number']} of {arguments['total_thoughts']}"


@tool(title=_thought_title)
async def thinking(
    ctx: ToolContext[RunDeps],
    thought: Annotated[
        str,
        Field(min_length=1, max_length=8000, description="This step, in plain words for people."),
    ],
    next_thought_needed: Annotated[bool, Field(description="Whether another step follows.")],
    thought_number: Annotated[int, Field(ge=1, description="Number of this step, from 1.")],
    total_thoughts: Annotated[
        int, Field(ge=1, description="How many steps you expect now; may grow or shrink.")
    ],
    is_revision: Annotated[
        bool | None, Field(description="Whether it corrects an earlier step.")
    ] = None,
    revises_thought: Annotated[
        int | None, Field(ge=1, description="Number of the step it corrects.")
    ] = None,
    branch_from_thought: Annotated[
        int | None, Field(ge=1, description="Number of the step from which another way begins.")
    ] = None,
    branch_id: Annotated[
        str | None, Field(max_length=60, description="Name of that other way.")
    ] = None,
    needs_more_thoughts: Annotated[
        bool | None, Field(description="Whether more steps are needed than you expected.")
    ] = None,
) -> ToolResult:
    """Think one step further about a hard question: weigh, compare, correct yourself, branch off.

    Use it when several findings must be put together or when a first idea turned out wrong; not for
    simple questions. Write for people: no names of tools, no ids. The final answer does not belong
    in here; write it as your answer when no further step is needed.
    Example: {"thought": "Both contracts name a notice period, but for different cases.",
    "thought_number": 2, "total_thoughts": 3, "next_thought_needed": true}
    """
    earlier = await in_db(_earlier_thoughts, ctx.deps, ctx.call_id)
    branches = sorted({each["branch_id"] for each in earlier if each.get("branch_id")})
    if branch_id and branch_from_thought and branch_id not in branches:
        branches = sorted([*branches, branch_id])
    progress = {
        "thought_number": thought_number,
        "total_thoughts": max(total_thoughts, thought_number),
        "next_thought_needed": next_thought_needed,
        "thought_history_length": len(earlier) + 1,
        "incomplete": bool(next_thought_needed or needs_more_thoughts),
        "branches": branches,
    }
    return ToolResult(
        output=json.dumps(progress, ensure_ascii=False),
        summary=_first_line(thought),
        data={
            "display_type": "thinking",
            **progress,
            "is_revision": bool(is_revision),
            "revises_thought": revises_thought,
        },
    )


def _earlier_thoughts(deps: RunDeps, call_id: str) -> list[dict[str, Any]]:
    """Return the arguments of this run's earlier thoughts, from the journal, oldest first."""
    rows = ToolCall.objects.filter(run_id=deps.run_id, name="thinking", state=CallState.COMPLETED)
    return list(rows.exclude(call_id=call_id).order_by("pk").values_list("arguments", flat=True))


def _first_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:119].rstrip() + "…"


@tool(
    also_known_as=("UPDATE_TODO_LIST",),
    argument_names={"todos": "steps", "todolist": "steps", "tasktodolist": "steps", "goal": "task"},
    title="Updating the plan",
)
async def todo_write(
    ctx: ToolContext[RunDeps],  # noqa: ARG001  every tool takes it
    steps: Annotated[
        list[PlanStep],
        Field(min_length=1, max_length=40, description="All steps of the plan, in their order."),
    ],
    task: Annotated[
        str, Field(max_length=1000, description="What the whole plan is to find out.")
    ] = "",
) -> ToolResult:
    """Write down, or bring up to date, which searches a longer question needs; people see the plan.

    Use it for questions that take three or more searches. Send the whole plan each time: mark one
    step as in_progress before you begin it and as completed when you know its result. Only what has
    to be looked up is a step; putting the findings together is not.
    Example: {"task": "Compare both leases", "steps": [
    {"id": "1", "description": "Rent in lease A", "status": "completed"},
    {"id": "2", "description": "Rent in lease B", "status": "in_progress"}]}
    """
    done = sum(step.status == "completed" for step in steps)
    lines = [f"[{_MARKS[step.status]}] {step.id}. {step.description}" for step in steps]
    head = [f"Plan: {task}"] if task else ["Plan:"]
    rest = _what_remains(steps)
    return ToolResult(
        output="\n".join([*head, *lines, f"{done} of {len(steps)} steps are done. {rest}"]),
        summary=f"{done} of {len(steps)} steps done",
        data={
            "display_type": PLAN,
            "task": task,
            "steps": [step.model_dump() for step in steps],
            "completed": done,
            "total": len(steps),
        },
    )


def _what_remains(steps: list[PlanStep]) -> str:
    open_steps = [step for step in steps if step.status != "completed"]
    if not open_steps:
        return "Everything is looked up: answer now."
    return f"Next: {open_steps[0].description}"


PLANNING_TOOLS: tuple[Tool[RunDeps], ...] = (thinking, todo_write)
