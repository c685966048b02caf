"""Whether an agent can work, and what keeps it from it: told in the list, the editor and the chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, visible
from agents.bindings import capabilities_by_base, is_of_use, requirements_of, serving
from agents.catalogue import is_known, tools_for
from agents.configuration import AgentConfig
from agents.constants import AgentMode, BaseScope
from agents.engine.capabilities import Capability
from agents.engine.tools import Tool
from agents.models import Agent
from agents.queries import list_agents
from agents.services.agent_values import AgentValues, check_agent_config, values_of_agent
from core.errors import ProjectError
from core.wording import listed
from knowledge.models import KnowledgeBase
from providers.constants import ModelType
from providers.models import AIModel
from providers.parameters import read_parameters
from sandbox.constants import Backend
from sandbox.queries import DEFAULT, list_configs


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Something that keeps an agent from working, or from working well."""

    code: str
    message: str
    is_blocking: bool = False
    """It cannot answer at all: a question is refused with this message."""
    url: str = ""
    """Where it can be mended, with `label`; empty when that is the agent's own page."""
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What agents of a space depend on, read once for a whole list."""

    models: Mapping[UUID, AIModel]
    bases: Mapping[UUID, frozenset[Capability]]
    """Those the actor may use."""
    agent_ids: frozenset[str]
    sandboxes: Mapping[str, str] = field(default_factory=dict)
    """Kinds of the space's sandboxes by id."""

    @classmethod
    def of(cls, actor: Actor) -> Self:
        """Read them as the actor sees them."""
        bases = visible(actor, "use", KnowledgeBase.objects.all())
        return cls(
            models={model.pk: model for model in AIModel.objects.all()},
            bases=capabilities_by_base(list(bases)),
            agent_ids=frozenset(str(each.pk) for each in list_agents(actor)),
            sandboxes={str(card.id): card.backend for card in list_configs(actor)},
        )

    def in_scope(self, values: AgentValues) -> Mapping[UUID, frozenset[Capability]]:
        """Return the bases that the agent may read, of those that the actor sees."""
        match values.base_scope:
            case BaseScope.NONE:
                return {}
            case BaseScope.SELECTED:
                return {key: can for key, can in self.bases.items() if key in values.base_ids}
            case _:
                return self.bases

    def chat_model(self, chosen_id: UUID | None) -> AIModel | None:
        """Return the model with this id, else the space's default one."""
        chosen = self.models.get(chosen_id) if chosen_id else None
        return chosen or self.default(ModelType.CHAT)

    def default(self, kind: ModelType) -> AIModel | None:
        """Return the space's default model of a type."""
        rows = (each for each in self.models.values() if each.type == kind and each.is_default)
        return next((each for each in rows if each.is_enabled), None)


def readiness(actor: Actor, agent: Agent, *, around: Surroundings | None = None) -> list[Problem]:
    """Return what is missing, what blocks first; nothing when the agent is ready."""
    try:
        values = values_of_agent(agent)
    except ProjectError as error:
        return [Problem(code="bad_configuration", message=error.message, is_blocking=True)]
    return readiness_of_values(values, around or Surroundings.of(actor))


def readiness_of_values(values: AgentValues, around: Surroundings) -> list[Problem]:
    """Return what would be missing of an agent like this, saved or not."""
    found = [
        *_model(around.chat_model(values.chat_model_id), mode=values.mode),
        *_prompts(values.config),
        *_bases(values, around),
        *_tools(values, around),
        *_rerank(values.config, around),
        *_sub_agents(values.config, around),
        *_sandbox(values, around),
    ]
    return sorted(found, key=lambda problem: not problem.is_blocking)


@dataclass(frozen=True, kw_only=True)
class Answering:
    """With what an agent would answer now."""

    problem: Problem | None
    """Why it cannot answer at all; None when it can try."""
    model: AIModel | None


def answering(agent: Agent) -> Answering:
    """Return the model that the agent would ask now, and what keeps it from that; one read."""
    models = AIModel.objects.filter(type=ModelType.CHAT)
    around = Surroundings(
        models={each.pk: each for each in models}, bases={}, agent_ids=frozenset()
    )
    model = around.chat_model(agent.chat_model_id)
    try:
        config = agent.settings
        found = [*_model(model, mode=agent.mode), *_prompts(config)]
    except ProjectError as error:
        found = [Problem(code="bad_configuration", message=error.message, is_blocking=True)]
    return Answering(problem=next((each for each in found if each.is_blocking), None), model=model)


def blocking_problem(agent: Agent) -> Problem | None:
    """Return why the agent cannot answer at all, None when it can try."""
    return answering(agent).problem


def _model(model: AIModel | None, *, mode: str) -> Iterator[Problem]:
    url, label = reverse("models"), _("Models")
    if model is None:
        message = _("The space has no chat model; an administrator can connect one.")
        yield Problem(code="no_chat_model", message=message, is_blocking=True, url=url, label=label)
        return
    if not model.is_enabled:
        message = _("Its model %(name)s is turned off.") % {"name": model.name}
        yield Problem(
            code="model_disabled", message=message, is_blocking=True, url=url, label=label
        )
    if mode == AgentMode.REACT and read_parameters(model.parameters).extractive:
        message = _(
            "%(name)s only quotes passages: it searches, but cannot reason or use other tools."
        ) % {"name": model.name}
        yield Problem(code="extractive_model", message=message, url=url, label=label)


def _prompts(config: AgentConfig) -> Iterator[Problem]:
    try:
        check_agent_config(config)
    except ProjectError as error:
        yield Problem(code="bad_template", message=error.message, is_blocking=True)


def _bases(values: AgentValues, around: Surroundings) -> Iterator[Problem]:
    if values.base_scope == BaseScope.SELECTED:
        gone = sum(pk not in around.bases for pk in values.base_ids)
        if gone:
            message = ngettext(
                "%(n)s of its knowledge bases is gone, or hidden from you.",
                "%(n)s of its knowledge bases are gone, or hidden from you.",
                gone,
            ) % {"n": gone}
            yield Problem(code="base_gone", message=message)
    requirements = requirements_of(values.mode, _tools_of(values))
    in_scope = around.in_scope(values)
    if requirements and not any(is_of_use(can, requirements) for can in in_scope.values()):
        yield Problem(
            code="no_base",
            message=_("There is no knowledge base that its tools can read."),
            url=reverse("bases"),
            label=_("Knowledge"),
        )


def _sandbox(values: AgentValues, around: Surroundings) -> Iterator[Problem]:
    chosen = values.config.sandbox_config_id
    if values.mode == AgentMode.QUICK or chosen in ("", DEFAULT):
        return
    kind = around.sandboxes.get(chosen)
    if kind is None:
        message = _("Its sandbox was removed: it runs no code until you choose another one.")
        yield Problem(code="sandbox_gone", message=message)
    elif kind == Backend.DISABLED:
        yield Problem(
            code="sandbox_off",
            message=_("Its sandbox is turned off: it runs no code."),
            url=reverse("sandboxes"),
            label=_("Sandbox"),
        )


def _tools_of(values: AgentValues) -> list[Tool[Any]]:
    return tools_for(values.config.allowed_tools, mode=values.mode)


def _tools(values: AgentValues, around: Surroundings) -> Iterator[Problem]:
    if values.mode == AgentMode.QUICK:
        return
    unknown = [name for name in values.config.allowed_tools if not is_known(name)]
    if unknown:
        message = _("This installation does not have: %(names)s.") % {"names": listed(unknown)}
        yield Problem(code="tool_unknown", message=message)
    in_scope = around.in_scope(values)
    if not in_scope or not values.config.allowed_tools:
        return
    idle = [
        each.name for each in _tools_of(values) if serving(each.requires, in_scope) == frozenset()
    ]
    if idle:
        message = _("No knowledge base that it may use can serve: %(names)s.") % {
            "names": listed(idle)
        }
        yield Problem(code="tool_unserved", message=message)


def _rerank(config: AgentConfig, around: Surroundings) -> Iterator[Problem]:
    if not config.rerank_model_id:
        return
    model = around.models.get(UUID(config.rerank_model_id))
    if model is None or not model.is_enabled:
        message = _("Its rerank model is gone or turned off; results stay in the search's order.")
        yield Problem(
            code="rerank_missing", message=message, url=reverse("models"), label=_("Models")
        )


def _sub_agents(config: AgentConfig, around: Surroundings) -> Iterator[Problem]:
    missing = sum(each not in around.agent_ids for each in config.sub_agents)
    if missing:
        message = ngettext(
            "%(n)s agent that it may call is gone or turned off.",
            "%(n)s agents that it may call are gone or turned off.",
            missing,
        ) % {"n": missing}
        yield Problem(code="sub_agent_missing", message=message)
