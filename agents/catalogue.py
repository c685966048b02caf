"""The names of all tools and what each requires: below the services, which ask it.

The tools themselves register through `agents.tools.registry`; this module knows nothing of how one
works or of what a run gives it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agents.constants import AgentMode
from agents.engine.tools import Tool

DEFAULT_TOOLS = (
    "thinking",
    "todo_write",
    "knowledge_search",
    "grep_chunks",
    "list_knowledge_chunks",
    "query_knowledge_graph",
    "get_document_info",
    "search_conversations",
    "database_query",
    "data_analysis",
    "data_schema",
)
"""What an agent without a list may call, as far as it is registered; the reference's own list."""
BUILT_NAMES = frozenset({"call_agent"})
"""Names of tools that builders make for single runs."""

all_tools: dict[str, Tool[Any]] = {}
ambient_names: set[str] = set()
"""Tools that are in no agent's list but join a run when they are of use."""


def is_known(name: str) -> bool:
    """Say whether there is a tool of this name, or one of it is made for runs."""
    return name in all_tools or name in BUILT_NAMES


def listed_tools() -> list[Tool[Any]]:
    """Return the tools an agent's list may name, by name; ambient ones come by themselves."""
    return [all_tools[name] for name in sorted(all_tools) if name not in ambient_names]


def tools_for(names: Iterable[str], *, mode: str) -> list[Tool[Any]]:
    """Return the named tools, the default ones when none is named; a quick answer has none."""
    if mode == AgentMode.QUICK:
        return []
    wanted = list(names) or DEFAULT_TOOLS
    return [all_tools[name] for name in wanted if name in all_tools]
