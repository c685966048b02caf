"""The last line of defence: a call reaches only bases of the run that can serve its tool.

Whatever list a client showed and whatever id a model wrote, the tool itself sees no other base.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from agents.bindings import serving
from agents.engine.errors import ToolFailed
from agents.engine.tools import Tool, ToolContext, ToolResult
from agents.tools.deps import RunDeps


def guard_tools(tools: Iterable[Tool[RunDeps]]) -> list[Tool[RunDeps]]:
    """Return the tools with their bases checked at each call."""
    return [guard_tool(each) for each in tools]


def guard_tool(tool: Tool[RunDeps]) -> Tool[RunDeps]:
    """Return a tool that refuses bases which are not the run's or cannot serve it."""
    if not tool.requires.needs_bases:
        return tool

    async def call(ctx: ToolContext[RunDeps], arguments: dict[str, Any]) -> ToolResult:
        deps = ctx.deps
        able = serving(tool.requires, deps.capabilities) or frozenset()
        allowed = tuple(base_id for base_id in deps.base_ids if base_id in able)
        if not allowed:
            raise ToolFailed("No base of this conversation can be used for this.", code="no_base")
        _refuse_others(tool, arguments, allowed)
        return await tool.body(replace(ctx, deps=replace(deps, base_ids=allowed)), arguments)

    return replace(tool, body=call)


def _refuse_others(
    tool: Tool[RunDeps], arguments: dict[str, Any], allowed: tuple[UUID, ...]
) -> None:
    known = {str(base_id) for base_id in allowed}
    for name, kind in tool.id_parameters.items():
        value = arguments.get(name)
        if kind != "base" or value is None:
            continue
        asked = value if isinstance(value, list) else [value]
        if not all(str(each).lower() in known for each in asked):
            raise ToolFailed(
                "One of these bases is not part of this conversation, or cannot be used for this."
                " Leave it out to use all that can.",
                code="base_refused",
            )
