"""Which areas of an agent's configuration do something in this installation.

Fields of an area without its mechanism are stored, checked and returned; the editor does not show
them, so that nobody turns a switch that is connected to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from agents.catalogue import is_known

Area = Literal[
    "approvals", "sub_agents", "memory", "suggestions", "web", "data", "mcp", "skills", "images",
    "audio", "faq", "attachments",
]  # fmt: skip
_WITH_THE_ENGINE: Final[frozenset[Area]] = frozenset(
    {"approvals", "sub_agents", "memory", "suggestions"}
)
_BY_TOOL: Final[Mapping[Area, str]] = {
    "web": "web_search",
    "data": "data_analysis",
    "skills": "read_skill",
}


def available_areas() -> frozenset[Area]:
    """Return the areas that have their mechanism."""
    by_tool = {area for area, tool in _BY_TOOL.items() if is_known(tool)}
    return _WITH_THE_ENGINE | by_tool
