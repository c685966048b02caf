"""All tools by name. A family registers itself in the `ready()` of the app that owns it."""

from __future__ import annotations

from collections.abc import Iterable

from agents.constants import AgentMode
from agents.engine.tools import Tool
from agents.tools.deps import RunDeps

_tools: dict[str, Tool[RunDeps]] = {}


def register_tools(tools: Iterable[Tool[RunDeps]]) -> None:
    """Add tools; the first of a name wins, a second one is a mistake of the developer."""
    for each in tools:
        if each.name in _tools:
            raise RuntimeError(f"There are two tools named {each.name!r}")
        _tools[each.name] = each


def tools_for(names: Iterable[str], *, mode: str) -> list[Tool[RunDeps]]:
    """Return the named tools, all when none is named; a quick answer has none."""
    if mode == AgentMode.QUICK:
        return []
    wanted = list(names) or list(_tools)
    return [_tools[name] for name in wanted if name in _tools]
