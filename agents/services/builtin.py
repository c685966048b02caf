"""The built-in agents of a space, from the YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from agents.constants import AgentMode
from agents.models import Agent

_FILE = Path(__file__).resolve().parent.parent / "builtin_agents.yaml"


class BuiltinAgent(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str = ""
    mode: AgentMode
    position: int = 100
    max_rounds: int = 10
    instructions: str = ""


def builtin_agents() -> dict[str, BuiltinAgent]:
    """Read the file: agents by key."""
    raw: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {key: BuiltinAgent.model_validate(value) for key, value in raw.items()}


def sync_builtin_agents(space_id: int) -> None:
    """Add the built-in agents that a space lacks; those it has keep what people changed."""
    for key, agent in builtin_agents().items():
        Agent.objects.get_or_create(space_id=space_id, builtin_key=key, defaults=agent.model_dump())
