"""The texts a run sends along: the agent's system prompt and what is true right now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

from agents.constants import AgentMode
from agents.engine.texts import EnginePrompts
from agents.models import Agent
from core.prompts import load_prompt
from knowledge.models import KnowledgeBase

_FOLDER = Path(__file__).resolve().parent.parent / "prompts"


def system_prompt(agent: Agent) -> str:
    """Return the prompt of the agent's mode, with the agent's own instructions."""
    name = "quick" if agent.mode == AgentMode.QUICK else "react"
    prompt = load_prompt(_FOLDER / f"{name}.md")
    return prompt.fill(agent_name=agent.name, instructions=agent.instructions.strip())


@lru_cache(maxsize=1)
def engine_prompts() -> EnginePrompts:
    """Return the engine's own prompts."""
    return EnginePrompts(
        synthesis=load_prompt(_FOLDER / "synthesis.md").fill(),
        summary=load_prompt(_FOLDER / "summary.md").fill(),
        summary_update=load_prompt(_FOLDER / "summary_update.md").fill(),
    )


def runtime_context(bases: Sequence[KnowledgeBase], *, now: datetime) -> str:
    """Return what is true for this question only: the time and the bases that can be searched.

    Each base has the attribute `ready_total` (documents that can be found).
    """
    lines = [f"<context time={quoteattr(now.strftime('%Y-%m-%d %H:%M UTC, %A'))}>"]
    for base in bases:
        documents = getattr(base, "ready_total", 0)
        lines.append(f"<base name={quoteattr(base.name)} documents={quoteattr(str(documents))}/>")
    if not bases:
        lines.append("<no-bases/>")
    lines.append("</context>")
    return "\n".join(lines)
