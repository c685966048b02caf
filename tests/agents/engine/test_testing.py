"""The doubles complain, and the fuzzed model is repeatable."""

from __future__ import annotations

import pytest

from agents.engine.fuzzing import FuzzedModel
from agents.engine.testing import ScriptedModel, ScriptMismatch, a_loop, a_run, events_of, say
from providers.contracts.errors import ModelError


async def test_a_model_that_is_asked_too_often_complains_through_the_engine() -> None:
    with pytest.raises(ScriptMismatch, match="more than 0 times"):
        await events_of(a_loop(ScriptedModel([])), a_run())


async def test_a_model_that_is_not_asked_often_enough_complains() -> None:
    model = ScriptedModel([say("a"), say("b")])
    await events_of(a_loop(model), a_run())
    with pytest.raises(ScriptMismatch, match="asked 1 times, 2 turns"), model:
        pass


async def test_the_fuzzed_model_repeats_itself_by_its_seed() -> None:
    async def turns(seed: int) -> list[object]:
        model = FuzzedModel(seed)
        out: list[object] = []
        for _ in range(20):
            try:
                out += [chunk async for chunk in model.stream([])]
            except ModelError as error:
                out.append(error.kind)
        return [out, model.misbehaviours]

    assert await turns(3) == await turns(3)
    assert await turns(3) != await turns(4)
