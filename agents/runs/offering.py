"""Which tools a run is offered: its agent's, those made for it, and ambient ones of use."""

from __future__ import annotations

from agents.engine.toolsets import Toolset
from agents.sharing.running import TOOLS as SHARED_TOOLS
from agents.tools.deps import RunDeps
from agents.tools.registry import Offer, ambient_tools, built_tools, unusable_names

NEEDS_SOMETHING_TO_SEARCH = "todo_write"
"""A plan of searches; without bases and web there is nothing to plan."""


def complete_toolset(toolset: Toolset[RunDeps], deps: RunDeps, *, mode: str) -> Toolset[RunDeps]:
    """Return the agent's filtered tools with those that are made for this run or are of use in it.

    The order of names is the toolset's own, so the payload is the same bytes in each request.
    """
    if not deps.base_ids and not deps.config.web_search_enabled:
        names = [name for name in toolset.names if name != NEEDS_SOMETHING_TO_SEARCH]
        toolset = toolset.filtered(names)
    toolset = toolset.with_tools(built_tools(deps, mode=mode))
    unusable = unusable_names(deps, toolset.names)
    toolset = toolset.filtered([name for name in toolset.names if name not in unusable])
    offer = Offer(config=deps.config, names=toolset.names)
    toolset = toolset.with_tools(ambient_tools(offer, mode=mode))
    if deps.shared_by is None:
        return toolset
    return toolset.filtered([name for name in toolset.names if name in SHARED_TOOLS])
