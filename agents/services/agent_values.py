"""An agent as it was entered: checked, and written into its row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.configuration import AgentConfig
from agents.constants import AgentMode, BaseScope
from agents.models import Agent
from agents.prompts.templates import check_ids, own_prompt
from agents.queries import list_agent_rows
from core.errors import Invalid
from core.names import clean_name
from knowledge.models import KnowledgeBase
from providers.constants import ModelType
from providers.models import AIModel

NAME_CHARACTERS = 120
INSTRUCTION_CHARACTERS = 20_000


@dataclass(frozen=True, kw_only=True)
class AgentValues:
    """An agent as it was entered."""

    name: str
    description: str = ""
    mode: str = AgentMode.REACT
    instructions: str = ""
    chat_model_id: UUID | None = None
    """None: the space's default."""
    base_scope: str = BaseScope.ALL
    base_ids: tuple[UUID, ...] = ()
    config: AgentConfig = field(default_factory=AgentConfig)


def values_of_agent(agent: Agent) -> AgentValues:
    """Return a stored agent as it would be entered.

    Raises:
        Invalid: its stored configuration cannot be read.
    """
    return AgentValues(
        name=agent.name,
        description=agent.description,
        mode=agent.mode,
        instructions=agent.instructions,
        chat_model_id=agent.chat_model_id,
        base_scope=agent.base_scope,
        base_ids=tuple(base.pk for base in agent.bases.all()),
        config=agent.settings,
    )


def write_values(actor: Actor, agent: Agent, values: AgentValues) -> None:
    """Check the values and store them.

    Raises:
        Invalid: one cannot be used; `field` names it.
    """
    check_agent_config(values.config)
    before = agent.settings
    agent.name = _clean_name(values.name)
    agent.description = values.description.replace("\x00", "").strip()
    agent.mode, agent.base_scope = _choice(values)
    agent.instructions = _clean_instructions(values.instructions)
    agent.chat_model = _chat_model(values.chat_model_id)
    agent.config = values.config.changed_values()
    _check_references(actor, agent, values.config, before=before)
    bases = _bases(actor, agent, values)
    agent.save()
    agent.bases.set(bases)


def check_agent_config(config: AgentConfig) -> None:
    """Return when the prompts of a configuration can be used.

    Raises:
        Invalid: one has a place that is not known, or names a prompt that there is not.
    """
    check_ids(
        system_prompt_id=config.system_prompt_id, context_template_id=config.context_template_id
    )
    if config.system_prompt.strip():
        own_prompt("system_prompt", config.system_prompt)
    if config.context_template.strip():
        own_prompt("context_template", config.context_template)


def _clean_name(name: str) -> str:
    cleaned = clean_name(name)
    if not cleaned:
        raise Invalid(_("Give the agent a name."), field="name")
    if len(cleaned) > NAME_CHARACTERS:
        raise Invalid(
            _("The name has %(count)s characters; %(limit)s are the most.")
            % {"count": len(cleaned), "limit": NAME_CHARACTERS},
            field="name",
        )
    return cleaned


def _clean_instructions(text: str) -> str:
    cleaned = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if len(cleaned) > INSTRUCTION_CHARACTERS:
        raise Invalid(
            _("The instructions have %(count)s characters; %(limit)s are the most.")
            % {"count": len(cleaned), "limit": INSTRUCTION_CHARACTERS},
            field="instructions",
        )
    return cleaned


def _choice(values: AgentValues) -> tuple[AgentMode, BaseScope]:
    if values.mode not in AgentMode.values:
        raise Invalid(f"There is no mode {values.mode!r}: quick or react.", field="mode")
    if values.base_scope not in BaseScope.values:
        raise Invalid(
            f"There is no scope {values.base_scope!r}: all, selected or none.", field="base_scope"
        )
    return AgentMode(values.mode), BaseScope(values.base_scope)


def _chat_model(model_id: UUID | None) -> AIModel | None:
    if model_id is None:
        return None
    model = AIModel.objects.filter(pk=model_id, type=ModelType.CHAT).first()
    if model is None:
        raise Invalid(_("There is no such chat model; choose another one."), field="chat_model_id")
    return model


def _bases(actor: Actor, agent: Agent, values: AgentValues) -> Sequence[KnowledgeBase]:
    """Return the selected bases: those the actor may use, and hidden ones that were chosen before."""
    wanted = set(values.base_ids)
    if not wanted:
        return []
    kept = set(agent.bases.values_list("pk", flat=True)) if not agent._state.adding else set()
    usable = set(
        visible(actor, "use", KnowledgeBase.objects.filter(pk__in=wanted)).values_list(
            "pk", flat=True
        )
    )
    if wanted - usable - kept:
        raise Invalid(_("One of the knowledge bases is gone; choose again."), field="base_ids")
    return list(KnowledgeBase.objects.filter(pk__in=wanted))


def _check_references(
    actor: Actor, agent: Agent, config: AgentConfig, *, before: AgentConfig
) -> None:
    """Refuse ids of things that are not there; what is gone later readiness tells."""
    if config.rerank_model_id and config.rerank_model_id != before.rerank_model_id:
        rows = AIModel.objects.filter(type=ModelType.RERANK)
        _require_all([config.rerank_model_id], rows.values_list("pk", flat=True), "rerank_model_id")
    added = set(config.sub_agents) - set(before.sub_agents)
    if str(agent.pk) in added:
        raise Invalid(_("An agent cannot call itself."), field="sub_agents")
    if added:
        _require_all(added, list_agent_rows(actor).values_list("pk", flat=True), "sub_agents")


def _require_all(wanted: Iterable[str], present: Iterable[UUID], name: str) -> None:
    known = {str(each) for each in present}
    if not set(wanted) <= known:
        raise Invalid(_("What was chosen is not there; choose again."), field=name)
