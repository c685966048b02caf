"""Steps of a quick answer before its model: told as calls of the run, so that a reload keeps them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from agents.engine.events import ToolCallFinished, ToolCallStarted
from agents.engine.state import RunState as LoopState

Pair = tuple[ToolCallStarted, ToolCallFinished]


class Watch:
    """How long a step takes."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    @property
    def milliseconds(self) -> int:
        """Since it was made."""
        return round((time.monotonic() - self._begun) * 1000)


def tell_step(
    state: LoopState,
    *,
    name: str,
    call_id: str,
    title: str,
    arguments: Mapping[str, Any],
    summary: str,
    data: Mapping[str, Any],
    watch: Watch,
    ok: bool = True,
) -> Pair:
    """Note a step in the state and return its two events; an id that was told already gets a number."""
    told = call_id
    number = 2
    while told in state.call_ids:
        told, number = f"{call_id}-{number}", number + 1
    state.call_ids.append(told)
    started = ToolCallStarted(
        round=0, call_id=told, name=name, arguments=dict(arguments), title=title
    )
    finished = ToolCallFinished(
        round=0,
        call_id=told,
        name=name,
        ok=ok,
        output="",
        summary=summary,
        data=dict(data),
        duration_ms=watch.milliseconds,
    )
    return started, finished
