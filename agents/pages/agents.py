"""Contexts of the agents' pages: cards, editor, versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, may
from agents.agent_form import AgentForm
from agents.areas import available_areas
from agents.bindings import capabilities_by_base, is_of_use, requirements_of
from agents.builtin import shown_description, shown_name
from agents.catalogue import is_known, tools_for
from agents.constants import AgentMode, BaseScope
from agents.models import Agent, AgentVersion
from agents.presets import Preset, presets
from agents.prompts.templates import placeholders
from agents.queries import list_agent_rows
from agents.services.agent_values import AgentValues
from agents.services.readiness import Problem, Surroundings, readiness, readiness_of_values
from agents.services.versions import Difference
from agents.tool_rows import (
    MODES,
    OPERATORS,
    needs_words,
    rule_rows,
    tool_rows,
)
from knowledge.queries import list_bases
from providers.constants import ModelType
from providers.queries import list_models
from sandbox.queries import list_configs
from sandbox.skill_queries import skill_choices

_QUIET = frozenset({"no_base", "extractive_model", "tool_unknown", "tool_unserved"})
"""What concerns who sets the agent up, not who asks it."""


def cards(actor: Actor) -> list[dict[str, Any]]:
    """Return one card an agent, in the agents' order."""
    around = Surroundings.of(actor)
    rows = list_agent_rows(actor).prefetch_related("bases")
    return [_card(actor, agent, around) for agent in rows]


def _card(actor: Actor, agent: Agent, around: Surroundings) -> dict[str, Any]:
    problems = readiness(actor, agent, around=around)
    may_change = may(actor, "change", agent)
    return {
        "id": agent.pk,
        "name": shown_name(agent.builtin_key, agent.name),
        "description": shown_description(agent.builtin_key, agent.description),
        "mode": agent.get_mode_display(),
        "is_quick": agent.mode == AgentMode.QUICK,
        "model": agent.chat_model.name if agent.chat_model else _("Default model"),
        "bases": _bases_label(agent),
        "is_builtin": bool(agent.builtin_key),
        "is_enabled": agent.is_enabled,
        "owner": str(agent.created_by) if agent.created_by else "",
        "problem": problems[0].message if problems else "",
        "is_blocked": any(each.is_blocking for each in problems),
        "may_change": may_change,
        "may_delete": may_change and not agent.builtin_key,
    }


def _bases_label(agent: Agent) -> str:
    if agent.base_scope == BaseScope.NONE:
        return _("No knowledge bases")
    if agent.base_scope == BaseScope.ALL:
        return _("All knowledge bases")
    count = len(agent.bases.all())
    return ngettext("%(n)s knowledge base", "%(n)s knowledge bases", count) % {"n": count}


def preset_rows() -> list[Preset]:
    """Return the presets, cut down to the tools there are."""
    known = {name for preset in presets(()) for name in preset.missing_tools if is_known(name)}
    return presets(known)


def form_for(
    actor: Actor, data: Any, *, values: AgentValues, version: int, agent_id: UUID | None
) -> AgentForm:
    """Return the form with what may be chosen in the actor's space."""
    models = [model for model in list_models(actor) if model.is_enabled]
    others = [agent for agent in list_agent_rows(actor) if agent.pk != agent_id]
    return AgentForm(
        data,
        values=values,
        version=version,
        chat_models=_choices(models, ModelType.CHAT),
        rerank_models=_choices(models, ModelType.RERANK),
        agents=[
            (str(agent.pk), shown_name(agent.builtin_key, agent.name))
            for agent in others
            if agent.is_enabled
        ],
        skills=skill_choices(actor),
        sandboxes=[(str(card.id), card.name) for card in list_configs(actor)],
    )


def _choices(models: Sequence[Any], kind: ModelType) -> list[tuple[str, str]]:
    return [(str(model.id), model.name) for model in models if model.type == kind]


def editor_context(
    actor: Actor, form: AgentForm, *, values: AgentValues, agent: Agent | None, may_change: bool
) -> dict[str, Any]:
    """Return everything the editor shows; `values` are those that the form has now."""
    return {
        "form": form,
        "agent": agent,
        "agent_name": shown_name(agent.builtin_key, agent.name) if agent else "",
        "may_change": may_change,
        "may_delete": agent is not None and may_change and not agent.builtin_key,
        "is_builtin": agent is not None and bool(agent.builtin_key),
        "areas": available_areas(),
        "rules": rule_rows(values.config),
        "all_tools": tool_rows(values.config, {}),
        "operators": OPERATORS,
        "system_places": placeholders("system_prompt"),
        "context_places": placeholders("context_template"),
        **fits_context(actor, form, values=values),
    }


def fits_context(actor: Actor, form: AgentForm, *, values: AgentValues) -> dict[str, Any]:
    """Return the parts that follow from mode, bases and tools: what fits, and what is missing."""
    around = Surroundings.of(actor)
    in_scope = around.in_scope(values)
    return {
        "form": form,
        "is_quick": values.mode == AgentMode.QUICK,
        "scope": values.base_scope,
        "bases": _base_rows(actor, values),
        "tools": tool_rows(values.config, in_scope),
        "modes": MODES,
        "problems": readiness_of_values(values, around),
    }


def _base_rows(actor: Actor, values: AgentValues) -> list[dict[str, Any]]:
    """Return the bases with what keeps each from being of use; those are greyed out."""
    requirements = requirements_of(
        values.mode, tools_for(values.config.allowed_tools, mode=values.mode)
    )
    rows = []
    bases = list(list_bases(actor))
    can = capabilities_by_base(bases)
    for base in bases:
        fits = is_of_use(can[base.pk], requirements)
        chosen = base.pk in values.base_ids
        rows.append(
            {
                "id": str(base.pk),
                "name": base.name,
                "documents": getattr(base, "document_total", 0),
                "is_chosen": chosen,
                "is_off": not fits and not chosen,
                "reason": "" if fits else needs_words(requirements),
            }
        )
    return rows


def version_rows(agent: Agent, rows: Sequence[AgentVersion]) -> list[dict[str, Any]]:
    """Return the versions, newest first, each with the way to its difference from the one before."""
    numbers = [row.number for row in rows]
    found = []
    for row in rows:
        older = max((number for number in numbers if number < row.number), default=None)
        found.append(
            {
                "number": row.number,
                "note": row.note,
                "who": str(row.created_by) if row.created_by else _("The product"),
                "at": row.created_at,
                "is_current": row.number == agent.version,
                "older": older,
                "compare_url": reverse("agent_compare", args=[agent.pk, older, row.number])
                if older
                else "",
            }
        )
    return found


def labelled(difference: Difference) -> Difference:
    """Return a difference with the words that the form has for its field."""
    field = AgentForm.base_fields.get(difference.field)
    return replace(difference, label=str(field.label)) if field and field.label else difference


def picker(actor: Actor, agents: Sequence[Agent]) -> list[dict[str, Any]]:
    """Return the agents for the chat's list, with what keeps each from working."""
    around = Surroundings.of(actor)
    return [_picked(actor, agent, around) for agent in agents]


def _picked(actor: Actor, agent: Agent, around: Surroundings) -> dict[str, Any]:
    problems = readiness(actor, agent, around=around)
    blocking = next((each for each in problems if each.is_blocking), None)
    return {
        "id": str(agent.pk),
        "name": shown_name(agent.builtin_key, agent.name),
        "is_blocked": blocking is not None,
        "problem": _worth_telling(problems),
    }


def _worth_telling(problems: Sequence[Problem]) -> str:
    """Return what a person who asks should know; that there is no base the page says itself."""
    return next((each.message for each in problems if each.code not in _QUIET), "")
