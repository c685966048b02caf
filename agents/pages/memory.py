"""The context of the memory page and its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from accounts.access import Actor, may
from agents.constants import MemoryKind, MemoryState
from agents.memory.familiar import familiar_documents
from agents.memory.reading import read_memory
from agents.memory.space_settings import space_memory
from agents.memory.switches import memory_of
from agents.memory.tidying import learning_problem, tidying_of
from agents.models import MemoryItem


@dataclass(frozen=True, kw_only=True)
class Section:
    """The items of one kind."""

    label: str
    hint: str
    items: tuple[MemoryItem, ...]


def memory_page(actor: Actor) -> dict[str, Any]:
    """Return everything that the page shows of the actor's own memory."""
    access, memory = memory_of(actor), read_memory(actor)
    return {
        "access": access,
        "is_switched_on": access.owner is None or access.owner.is_enabled,
        "may_change_space": may(actor, "change", space_memory(actor)),
        "problem": learning_problem(access.owner) if access.owner and access.learns else "",
        "pending": _in_state(memory.items, MemoryState.PENDING),
        "sections": _sections(_in_state(memory.items, MemoryState.ACTIVE)),
        "set_aside": _in_state(memory.items, MemoryState.ARCHIVED),
        "hidden": memory.hidden,
        "topics": memory.topics,
        "documents": familiar_documents(actor),
        "tidying": tidying_of(actor),
        "total": len(memory.items) + len(memory.hidden),
    }


def _in_state(items: Iterable[MemoryItem], state: str) -> list[MemoryItem]:
    return [item for item in items if item.state == state]


def _sections(items: list[MemoryItem]) -> list[Section]:
    found = []
    for kind in MemoryKind:
        rows = tuple(item for item in items if item.kind == kind)
        if rows:
            found.append(Section(label=str(kind.label), hint=_hint(kind), items=rows))
    return found


def _hint(kind: MemoryKind) -> str:
    always = kind in (MemoryKind.PROFILE, MemoryKind.PREFERENCE, MemoryKind.INTEREST)
    return "always" if always else "fitting"
