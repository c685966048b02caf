"""Brings the built-in agents into a space, and back to what they were."""

from __future__ import annotations

from typing import Any

from agents.builtin import BuiltinAgent, builtin_agents
from agents.catalogue import is_known
from agents.models import Agent


def sync_builtin_agents(space_id: int) -> None:
    """Add the built-in agents that a space lacks; those nobody has changed follow the file.

    An agent whose tools this installation lacks waits for them: nobody is offered something dead.
    """
    for key, builtin in builtin_agents().items():
        if not all(is_known(name) for name in builtin.needs):
            continue
        values = values_of(builtin)
        agent, is_new = Agent.objects.get_or_create(
            space_id=space_id, builtin_key=key, defaults=values
        )
        if not is_new and not agent.versions.exists():
            _follow(agent, values)


def values_of(builtin: BuiltinAgent) -> dict[str, Any]:
    """Return the fields of a row as the file has them, without tools that are missing."""
    tools = tuple(name for name in builtin.config.allowed_tools if is_known(name))
    config = builtin.config.model_copy(update={"allowed_tools": tools})
    return {
        "name": builtin.names["en"],
        "description": builtin.descriptions["en"],
        "mode": builtin.mode,
        "position": builtin.position,
        "base_scope": builtin.base_scope,
        "instructions": builtin.instructions,
        "config": config.changed_values(),
    }


def _follow(agent: Agent, values: dict[str, Any]) -> None:
    changed = [name for name, value in values.items() if getattr(agent, name) != value]
    for name in changed:
        setattr(agent, name, values[name])
    if changed:
        agent.save(update_fields=[*changed, "updated_at"])
