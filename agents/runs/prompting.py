"""The texts a run sends along: the agent's system prompt and what is true right now."""

from __future__ import annotations

from datetime import datetime

from agents.configuration import AgentConfig
from agents.constants import AgentMode
from agents.engine.aliases import Aliases
from agents.engine.context_blocks import BoundBase, PinnedDocument, runtime_context
from agents.models import Agent
from agents.prompts import agent_prompt
from agents.prompts.templates import own_prompt, system_template
from agents.runs.scope import RunScope
from agents.runs.skilled import skill_lines, skills_block

ANSWER_LANGUAGE = "the language of the question"
WEB_OFF = "Disabled"
BASES_POINTER = "Those listed in <bound_knowledge_bases> of the runtime context."
NO_BASES = "None is bound to this conversation."
NAME_CHARACTERS = 120


def system_prompt(agent: Agent, *, has_bases: bool, now: datetime) -> str:
    """Return the agent's system prompt with what its skills are for."""
    skills = skills_block(skill_lines(agent))
    text = _prompt_text(agent, has_bases=has_bases, now=now)
    return f"{text}\n\n{skills}" if skills else text


def _prompt_text(agent: Agent, *, has_bases: bool, now: datetime) -> str:
    """Return the agent's own text, the one it names, or that of its mode."""
    config = agent.settings
    values = _values(agent, config, has_bases=has_bases, now=now)
    if config.system_prompt.strip():
        own = own_prompt("system_prompt", config.system_prompt)
        text = own.render(**{name: values[name] for name in own.variables})
        rules = agent_prompt("standing_rules").render(citation_rule=values["citation_rule"])
        return f"{text}\n\n{rules}"
    template_id = config.system_prompt_id or _template_of(agent, has_bases=has_bases)
    template = system_template(template_id)
    return template.render(**{name: values[name] for name in template.variables})


def context_prompt(config: AgentConfig, *, question: str, passages: str, now: datetime) -> str:
    """Return a quick answer's passages in the agent's own frame, as they are without one."""
    if not config.context_template.strip():
        return passages
    return own_prompt("context_template", config.context_template).render(
        contexts=passages, query=question, current_time=time_text(now), language=ANSWER_LANGUAGE
    )


def runtime_context_of(scope: RunScope, aliases: Aliases, *, mode: str, now: datetime) -> str:
    """Return what is true for this question only; it is never part of the conversation."""
    bound = [
        BoundBase(
            alias=aliases.base(base.pk, title=base.name),
            name=base.name,
            description=base.description[:500],
            capabilities=tuple(sorted(scope.capabilities[base.pk])),
            documents=scope.ready_total.get(base.pk, 0),
            recent=tuple(name[:NAME_CHARACTERS] for name in scope.recent.get(base.pk, ())),
        )
        for base in scope.useful
    ]
    pinned = [
        PinnedDocument(
            alias=aliases.document(each.pk, base_id=each.base_id, title=each.name),
            name=each.name[:NAME_CHARACTERS],
        )
        for each in scope.documents
    ]
    return runtime_context(
        bases=bound,
        pinned=pinned,
        current_time=time_text(now),
        instructs=mode != AgentMode.QUICK,
    )


def time_text(now: datetime) -> str:
    """Return a time as prompts have it: RFC 3339 to the second, with the day of the week."""
    return f"{now.isoformat(timespec='seconds')}, {now:%A}"


def _template_of(agent: Agent, *, has_bases: bool) -> str:
    if agent.mode == AgentMode.QUICK:
        return "quick"
    return "rag" if has_bases else "pure"


def _values(agent: Agent, config: AgentConfig, *, has_bases: bool, now: datetime) -> dict[str, str]:
    rule = "citations_on" if config.citation_enabled else "citations_off"
    return {
        "instructions": agent.instructions.strip(),
        "knowledge_bases": BASES_POINTER if has_bases else NO_BASES,
        "current_time": time_text(now),
        "language": ANSWER_LANGUAGE,
        "web_search_status": WEB_OFF,
        "skills": "",
        "citation_rule": agent_prompt(rule).render(),
    }
