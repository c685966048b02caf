"""Kinds of agents: what the form is filled with when one is chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, get_args

import yaml
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from agents.configuration import AgentConfig, AgentType, read_config

_FILE = Path(__file__).resolve().parent / "presets.yaml"
_WORDS: Final[Mapping[AgentType, tuple[Promise, Promise]]] = {
    "rag-qa": (
        _("Questions about documents"),
        _("Searches the knowledge bases and cites passages."),
    ),
    "wiki-qa": (_("Questions about a wiki"), _("Reads wiki pages and their sources.")),
    "hybrid-rag-wiki": (_("Documents and wiki"), _("Reads wiki pages first, then documents.")),
    "data-analysis": (_("Data analysis"), _("Calculates over CSV and Excel files.")),
    "custom": (_("Custom"), _("Starts empty; every setting is yours.")),
}


@dataclass(frozen=True, kw_only=True)
class Preset:
    """One kind of agents."""

    key: AgentType
    label: str
    description: str
    config: AgentConfig
    """Without the tools that are missing."""
    missing_tools: tuple[str, ...]
    """Tools of the preset that this installation lacks."""

    @property
    def is_offered(self) -> bool:
        """Whether it makes an agent that can do something of its kind."""
        return self.key == "custom" or bool(self.config.allowed_tools)


def presets(known_tools: Collection[str]) -> list[Preset]:
    """Return every preset, cut down to the tools there are."""
    return [_preset(key, known_tools) for key in get_args(AgentType)]


def find_preset(key: str, known_tools: Collection[str]) -> Preset:
    """Return one preset; an unknown key is `custom`, as in the reference."""
    found = {each.key: each for each in presets(known_tools)}
    return next((each for each in found.values() if each.key == key), found["custom"])


def _preset(key: AgentType, known_tools: Collection[str]) -> Preset:
    config = read_config({**_raw()[key]["config"], "agent_type": key})
    kept = tuple(name for name in config.allowed_tools if name in known_tools)
    label, description = _WORDS[key]
    return Preset(
        key=key,
        label=str(label),
        description=str(description),
        config=config.model_copy(update={"allowed_tools": kept}),
        missing_tools=tuple(name for name in config.allowed_tools if name not in kept),
    )


@lru_cache(maxsize=1)
def _raw() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return loaded
