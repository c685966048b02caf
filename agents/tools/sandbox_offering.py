"""Which runs get the tools of the sandbox: those whose agent has one that works here."""

from __future__ import annotations

from collections.abc import Sequence

from agents.engine.tools import Tool
from agents.tools.deps import RunDeps
from agents.tools.sandbox_files import FILE_TOOLS, has_readers
from agents.tools.sandbox_session import sandbox_works
from agents.tools.sandbox_shell import SHELL_TOOLS

SANDBOX_TOOLS: tuple[Tool[RunDeps], ...] = (*FILE_TOOLS, *SHELL_TOOLS)
_NAMES = frozenset(each.name for each in SANDBOX_TOOLS)


def sandbox_tools(deps: RunDeps) -> Sequence[Tool[RunDeps]]:
    """Return the sandbox's tools for an agent that was given one, beside those of its list."""
    config = deps.config
    if not (config.sandbox_config_id or config.skills_selection_mode != "none"):
        return ()
    missing = [each for each in SANDBOX_TOOLS if each.name not in config.allowed_tools]
    return missing


def unusable_tools(deps: RunDeps, names: Sequence[str]) -> frozenset[str]:
    """Return which of the run's tools cannot work, because its sandbox does not."""
    mine = _NAMES & set(names)
    if not mine or sandbox_works(deps):
        return frozenset()
    return mine - {"read_file"} if has_readers() else mine
