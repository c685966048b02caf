"""Pictures that tools find: the model is asked to keep them, once, and only then."""

from __future__ import annotations

import pytest

from agents.engine.limits import RunLimits
from agents.engine.pictures import REQUIREMENT, holds_picture
from agents.engine.testing import (
    FakeTool,
    ScriptedModel,
    a_loop,
    a_run,
    call,
    calls,
    events_of,
    say,
)

PICTURE = "The plan: ![floor plan](/files/plan.png) of the first floor."


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (PICTURE, True),
        ("![](res://0001)", True),
        ("![open bracket(", False),
        ("a [link](/plan.png)", False),
        ("!important ![]", False),
    ],
)
def test_only_a_whole_picture_counts(text: str, holds: bool) -> None:
    assert holds_picture(text) is holds


async def test_model_is_asked_once_to_keep_the_pictures_that_a_tool_found() -> None:
    look = FakeTool("look", answer=PICTURE)
    turns = [calls(call("look", n=1)), calls(call("look", n=2)), say("![floor plan](/x)")]
    with ScriptedModel(turns) as model:
        await events_of(a_loop(model, look.tool()), a_run())
    told = [asked[0].content.count(REQUIREMENT.strip()) for asked in model.asked]
    assert told == [0, 1, 1]


async def test_synthesis_is_asked_for_the_pictures_too() -> None:
    look = FakeTool("look", answer=PICTURE)
    with ScriptedModel([calls(call("look")), say("Here it is.")]) as model:
        await events_of(a_loop(model, look.tool(), limits=RunLimits(max_rounds=1)), a_run())
    assert REQUIREMENT.strip() in model.asked[-1][0].content


async def test_results_without_pictures_ask_for_nothing() -> None:
    look = FakeTool("look", answer="Only words.")
    with ScriptedModel([calls(call("look")), say("Words.")]) as model:
        await events_of(a_loop(model, look.tool()), a_run())
    assert all(REQUIREMENT.strip() not in asked[0].content for asked in model.asked)
