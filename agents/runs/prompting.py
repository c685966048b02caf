"""The texts a run sends along: the agent's system prompt and what is true right now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agents.constants import AgentMode
from agents.engine.aliases import Aliases
from agents.engine.context_blocks import BoundBase, runtime_context
from agents.models import Agent
from agents.prompts import agent_prompt
from knowledge.models import KnowledgeBase

ANSWER_LANGUAGE = "the language of the question"
WEB_OFF = "off"


def system_prompt(agent: Agent, *, has_bases: bool, now: datetime) -> str:
    """Return the prompt of the agent's mode, with the agent's own instructions."""
    filled = {
        "instructions": agent.instructions.strip(),
        "language": ANSWER_LANGUAGE,
        "current_time": now.strftime("%Y-%m-%d %H:%M UTC, %A"),
    }
    if agent.mode == AgentMode.QUICK:
        return agent_prompt("quick").render(**filled)
    name = "react_bases" if has_bases else "react_pure"
    return agent_prompt(name).render(**filled, web_search_status=WEB_OFF)


def runtime_context_of(bases: Sequence[KnowledgeBase], aliases: Aliases) -> str:
    """Return what is true for this question only: the bases that can be searched.

    Each base has the attribute `ready_total` (documents that can be found).
    """
    return runtime_context(bases=[_bound(base, aliases) for base in bases]) if bases else ""


def _bound(base: KnowledgeBase, aliases: Aliases) -> BoundBase:
    return BoundBase(
        alias=aliases.base(base.pk, title=base.name),
        name=base.name,
        description=base.description[:500],
        capabilities=("vector", "keyword"),
        documents=getattr(base, "ready_total", 0),
    )
