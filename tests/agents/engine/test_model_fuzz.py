"""A model that misbehaves: every run ends with an answer or a stated reason."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "model_fuzz.py"


@pytest.fixture(scope="module")
def fuzz() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("model_fuzz", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("first", range(0, 200, 20))
async def test_twenty_runs_with_kills_stops_and_approvals_keep_all_promises(
    fuzz: ModuleType, first: int
) -> None:
    for seed in range(first, first + 20):
        world = await fuzz.play(seed)
        assert fuzz.broken_promises(world) == [], seed


async def test_a_broken_promise_is_found(fuzz: ModuleType) -> None:
    world = await fuzz.play(0)
    del world.events[1]
    assert "seq has gaps" in fuzz.broken_promises(world)
    del world.events[-1]
    assert "RunFinished is not last" in fuzz.broken_promises(world)
