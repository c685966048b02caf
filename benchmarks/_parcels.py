"""Tools for benchmarks: one with a side effect that must never be repeated, one without any."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

from agents.engine.tools import Tool, ToolContext, tool


def parcel_tools(effects: Path) -> list[Tool[Any]]:
    """Return `deliver`, which appends a line "run call" to the file, and `look_up`."""

    @tool(side_effects="unsafe")
    async def deliver(ctx: ToolContext[Any], parcel: str) -> str:
        """Hand a parcel over; it cannot be taken back."""
        await asyncio.sleep(random.uniform(0, 0.06))  # noqa: S311  a pause, no secret
        line = f"{ctx.deps.run_id} {ctx.call_id}\n".encode()
        target = os.open(effects, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(target, line)
        os.close(target)
        await asyncio.sleep(random.uniform(0, 0.06))  # noqa: S311
        return f"Parcel {parcel} was handed over."

    @tool()
    async def look_up(ctx: ToolContext[Any], parcel: str) -> str:
        """Say where a parcel is."""
        await asyncio.sleep(random.uniform(0, 0.05))  # noqa: S311
        return f"Parcel {parcel} is in the store, says call {ctx.call_id}."

    return [deliver, look_up]
