"""Which skills an agent may use, and what its prompt says of them.

The model sees names and descriptions (first level); it reads the instructions and other files when a
question fits (second and third). What skills say of themselves was written by others: it is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from agents.configuration import AgentConfig
from agents.constants import AgentMode
from agents.engine.context_blocks import MustUse, must_use
from agents.models import Agent
from core.tenancy import current_space_id
from sandbox.skill_models import Skill
from sandbox.skills.mounts import usable_skills

MATCHING = """\
Before you begin, compare the request with these descriptions. When one fits, read its instructions \
(skill://<name>/SKILL.md) before anything else and follow them; read other files of the skill only when \
the instructions name them. When none fits, work without. Do not mention skills that you do not use. \
You cannot install skills; an administrator can."""


@dataclass(frozen=True, kw_only=True)
class SkillLine:
    """What is always known of a skill."""

    name: str
    description: str


def allowed_names(config: AgentConfig) -> Collection[str] | None:
    """Return the names an agent is limited to; None: every skill of its space."""
    match config.skills_selection_mode:
        case "all":
            return None
        case "selected":
            return config.selected_skills
        case "none":
            return ()


def allowed_skills(config: AgentConfig) -> list[Skill]:
    """Return the skills of the current space that an agent may use, by name."""
    names = allowed_names(config)
    return [] if names is not None and not names else usable_skills(names)


def skill_lines(agent: Agent) -> list[SkillLine]:
    """Return what the agent's prompt says of its skills.

    Nothing for a quick answer, and nothing where the agent is shared with another space.
    """
    if agent.mode == AgentMode.QUICK or agent.space_id != current_space_id():
        return []
    return [
        SkillLine(name=skill.name, description=skill.current.description)
        for skill in allowed_skills(agent.settings)
        if skill.current is not None
    ]


def skills_block(lines: list[SkillLine]) -> str:
    """Return the block at the end of a system prompt; empty without skills."""
    if not lines:
        return ""
    listed = [
        f"<skill name={quoteattr(each.name)}>{escape(each.description)}</skill>" for each in lines
    ]
    return "\n".join(["<available_skills>", *listed, "</available_skills>", MATCHING])


def mentioned_skills(question: str, lines: list[SkillLine]) -> str:
    """Return the hint for skills named with @ in a question, of those that may be used anyway."""
    named = set(re.findall(r"(?<![\w@.])@([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w-])", question))
    return must_use(MustUse(skills=tuple(each.name for each in lines if each.name in named)))
