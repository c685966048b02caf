"""Which base serves which tool: one table for editor, @ menu, the model's view and the call itself.

Pure functions over what bases can do and what tools require. Everything only filters. A quick
answer has no tools, but its one search requires what a search tool does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from agents.constants import AgentMode
from agents.engine.capabilities import Capability, Requirement
from agents.engine.tools import Tool
from knowledge.base_settings import base_settings_of
from knowledge.models import KnowledgeBase
from wiki.lookup import bases_with_pages

QUICK_ANSWER: Final = Requirement(any_of=frozenset({"vector", "keyword"}), consumes_files=True)
"""What the one search of a quick answer asks of a base."""
_AREAS: Final[tuple[Capability, ...]] = ("graph", "faq")
"""Capabilities that a base has when its settings have an area of that name, switched on."""


def capabilities_of(base: KnowledgeBase) -> frozenset[Capability]:
    """Return what a base can do: words always, meaning with an embedding model, then its areas.

    A wiki it has with the first page that readers meet.
    """
    return capabilities_by_base([base])[base.pk]


def capabilities_by_base(
    bases: Sequence[KnowledgeBase],
) -> dict[UUID, frozenset[Capability]]:
    """Return the same of several bases; one query for each space that owns some of them."""
    with_pages = bases_with_pages(bases)
    return {
        base.pk: _own(base) | ({"wiki"} if base.pk in with_pages else frozenset[Capability]())
        for base in bases
    }


def _own(base: KnowledgeBase) -> frozenset[Capability]:
    found: set[Capability] = {"keyword"}
    if base.embedding_model_id is not None:
        found.add("vector")
    settings = base_settings_of(base)
    found.update(
        area for area in _AREAS if getattr(getattr(settings, area, None), "is_enabled", False)
    )
    return frozenset(found)


def requirements_of(mode: str, tools: Iterable[Tool[Any]]) -> tuple[Requirement, ...]:
    """Return what an agent asks of its bases, one entry a tool that needs any."""
    if mode == AgentMode.QUICK:
        return (QUICK_ANSWER,)
    return tuple(each.requires for each in tools if each.requires.needs_bases)


def is_of_use(capabilities: Collection[Capability], requirements: Sequence[Requirement]) -> bool:
    """Say whether a base of these capabilities serves at least one of the agent's tools."""
    return any(each.is_met_by(capabilities) for each in requirements)


def serving(
    requirement: Requirement, bases: Mapping[UUID, frozenset[Capability]]
) -> frozenset[UUID] | None:
    """Return the bases that serve a tool; None when it needs none."""
    if not requirement.needs_bases:
        return None
    return frozenset(key for key, can in bases.items() if requirement.is_met_by(can))


def offered(
    tools: Iterable[Tool[Any]], bases: Mapping[UUID, frozenset[Capability]]
) -> list[Tool[Any]]:
    """Return the tools that work with these bases: those that need none, and those served by one."""
    return [each for each in tools if serving(each.requires, bases) != frozenset()]


def takes_files(mode: str, tools: Iterable[Tool[Any]]) -> bool:
    """Say whether naming single documents makes sense for the agent."""
    return any(each.consumes_files for each in requirements_of(mode, tools))


def wanted_capabilities(requirements: Iterable[Requirement]) -> frozenset[Capability]:
    """Return every capability that some of the tools could use; for words about what is missing."""
    return frozenset(
        capability for each in requirements for capability in (*each.any_of, *each.all_of)
    )
