"""The built-in agents as the YAML file has them, with their names in the product's languages."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml
from django.utils.translation import get_language
from pydantic import BaseModel, ConfigDict, Field

from agents.configuration import AgentConfig
from agents.constants import AgentMode, BaseScope

_FILE = Path(__file__).resolve().parent / "builtin_agents.yaml"
Language = Literal["en", "zh-CN", "zh-TW", "ja", "ko"]


class BuiltinAgent(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: dict[Language, str]
    descriptions: dict[Language, str]
    mode: AgentMode
    position: int = 100
    base_scope: BaseScope = BaseScope.ALL
    instructions: str = ""
    config: AgentConfig = AgentConfig()
    needs: tuple[str, ...] = Field(default=())
    """Tools without which it is not brought into a space."""
    hidden: bool = False
    """Other pages of the product use it; no list shows it."""


@lru_cache(maxsize=1)
def builtin_agents() -> dict[str, BuiltinAgent]:
    """Read the file once: agents by key."""
    raw: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {key: BuiltinAgent.model_validate(value) for key, value in raw.items()}


def hidden_keys() -> list[str]:
    """Return the keys of built-in agents that no list shows."""
    return [key for key, agent in builtin_agents().items() if agent.hidden]


def shown_name(builtin_key: str, name: str) -> str:
    """Return a stored name as the person reads it: in their language unless it was changed."""
    agent = builtin_agents().get(builtin_key)
    return _in_language(agent.names, name) if agent is not None else name


def shown_description(builtin_key: str, description: str) -> str:
    """Return a stored description as the person reads it."""
    agent = builtin_agents().get(builtin_key)
    return _in_language(agent.descriptions, description) if agent is not None else description


def _in_language(texts: dict[Language, str], stored: str) -> str:
    return texts.get(_language(), stored) if stored == texts["en"] else stored


def _language() -> Language:
    """Return the language of the request among those the file has."""
    code = (get_language() or "en").lower()
    if code.startswith("zh"):
        traditional = ("hant", "tw", "hk", "mo")
        return "zh-TW" if any(part in code for part in traditional) else "zh-CN"
    match code[:2]:
        case "ja":
            return "ja"
        case "ko":
            return "ko"
        case _:
            return "en"
