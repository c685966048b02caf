"""All tools by name, and which of them an agent's run is offered.

A family registers itself in the `ready()` of the app that owns it. Three ways lead into a run:
the agent's list (or the default one), *ambient* tools that join when they are of use, and *built*
tools that are made for the run (a tool whose description names this agent's sub-agents). Whatever
the way, a run is only filtered afterwards, never added to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from agents.catalogue import all_tools, ambient_names, listed_tools, tools_for
from agents.configuration import AgentConfig
from agents.constants import AgentMode
from agents.engine.tools import Tool
from agents.tools.deps import RunDeps


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What is known of a run when an ambient tool is asked whether it is of use."""

    config: AgentConfig
    names: Collection[str]
    """The other tools of the run, after filtering."""


OfUse = Callable[[Offer], bool]
Unusable = Callable[[RunDeps, Sequence[str]], frozenset[str]]
Builder = Callable[[RunDeps], Sequence[Tool[RunDeps]]]
_tools: dict[str, Tool[RunDeps]] = all_tools
_of_use: dict[str, OfUse] = {}
_builders: list[Builder] = []
_conditions: list[Unusable] = []


def register_tools(tools: Iterable[Tool[RunDeps]], *, of_use: OfUse | None = None) -> None:
    """Add tools; the first of a name wins, a second one is a mistake of the developer.

    With `of_use` they are ambient: not in an agent's list, but offered when it says so.
    """
    for each in tools:
        if each.name in _tools:
            raise RuntimeError(f"There are two tools named {each.name!r}")
        _tools[each.name] = each
        if of_use is not None:
            _of_use[each.name] = of_use
            ambient_names.add(each.name)


def register_builder(builder: Builder) -> None:
    """Add a function that makes tools for one run; it reads rows as the run's actor may."""
    if builder not in _builders:
        _builders.append(builder)


def register_condition(unusable: Unusable) -> None:
    """Add a function that says which of a run's tools cannot work; they are not offered."""
    if unusable not in _conditions:
        _conditions.append(unusable)


def unusable_names(deps: RunDeps, names: Sequence[str]) -> frozenset[str]:
    """Return the names of the run's tools that cannot work in it."""
    return frozenset().union(*(unusable(deps, names) for unusable in _conditions))


def built_tools(deps: RunDeps, *, mode: str) -> list[Tool[RunDeps]]:
    """Return the tools that are made for this run."""
    if mode == AgentMode.QUICK:
        return []
    return [each for build in _builders for each in build(deps)]


def ambient_tools(offer: Offer, *, mode: str) -> list[Tool[RunDeps]]:
    """Return the ambient tools that are of use beside the others."""
    if mode == AgentMode.QUICK:
        return []
    return [_tools[name] for name, of_use in sorted(_of_use.items()) if of_use(offer)]


__all__ = [
    "Builder",
    "OfUse",
    "Offer",
    "ambient_tools",
    "built_tools",
    "listed_tools",
    "register_builder",
    "register_condition",
    "register_tools",
    "tools_for",
    "unusable_names",
]
