"""Gets a run ready: who asks, where they may look, with which model, tools and history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from accounts.access import Actor, visible
from accounts.actors import actor_of
from accounts.models import User
from agents.answers.history import history_of
from agents.constants import AgentMode, BaseScope
from agents.engine.aliases import Aliases
from agents.engine.capabilities import Capability
from agents.engine.limits import RunLimits
from agents.engine.state import RunState as LoopState
from agents.engine.toolsets import Toolset
from agents.models import Agent, AgentRun
from agents.runs.blobs import unpack_state
from agents.runs.prompting import runtime_context_of, system_prompt
from agents.runs.store import Lease
from agents.tools.deps import RunDeps
from agents.tools.registry import tools_for
from core.errors import Invalid
from knowledge.constants import DocumentState
from knowledge.models import KnowledgeBase
from providers.constants import ModelType
from providers.contracts.chat import ChatModel
from providers.parameters import read_parameters
from providers.services.clients import get_chat_model
from providers.services.models import default_model


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Everything the loop needs for this run."""

    lease: Lease
    agent: Agent
    deps: RunDeps
    model: ChatModel
    toolset: Toolset[RunDeps]
    limits: RunLimits
    state: LoopState
    is_new: bool
    """False: an earlier worker began it, and it goes on from the stored state."""


def prepare(lease: Lease, run: AgentRun) -> Prepared:
    """Read and check what the run needs; permission is asked anew, also when it is resumed.

    Raises:
        NotFound: the person is no member of the space any more, or a model is gone.
        Invalid: the agent is gone.
    """
    agent = run.agent
    if agent is None or not agent.is_enabled:
        raise Invalid("The agent was removed or switched off; choose another one and ask again.")
    actor = actor_of(User.objects.get(pk=run.user_id), space_id=run.space_id)
    bases = bases_of(actor, agent, [UUID(each) for each in run.base_ids])
    deps = RunDeps(actor=actor, run_id=run.pk, base_ids=tuple(base.pk for base in bases))
    row = agent.chat_model or default_model(run.space_id, ModelType.CHAT)
    model = get_chat_model(row)
    AgentRun.objects.filter(pk=run.pk).update(
        model_name=row.name, is_extractive=read_parameters(row.parameters).extractive
    )
    is_new = not run.loop_state
    state = _begin(run, agent, bases) if is_new else unpack_state(run.loop_state)
    state.catch_up(run.last_seq)
    return Prepared(
        lease=lease,
        agent=agent,
        deps=deps,
        model=model,
        toolset=toolset_of(agent, bases),
        limits=RunLimits(max_rounds=min(max(agent.max_rounds, 1), 100)),
        state=state,
        is_new=is_new,
    )


def bases_of(actor: Actor, agent: Agent, asked: Sequence[UUID]) -> list[KnowledgeBase]:
    """Return the bases a run may read, by name: the agent's, those asked for, those visible."""
    if agent.base_scope == BaseScope.NONE:
        return []
    rows = visible(actor, "use", KnowledgeBase.objects.all())
    if agent.base_scope == BaseScope.SELECTED:
        rows = rows.filter(pk__in=agent.bases.values("pk"))
    if asked:
        rows = rows.filter(pk__in=asked)
    ready = Count("documents", filter=Q(documents__state=DocumentState.COMPLETED))
    return list(rows.annotate(ready_total=ready).order_by("name"))


def toolset_of(agent: Agent, bases: Sequence[KnowledgeBase]) -> Toolset[RunDeps]:
    """Return the agent's tools that the bases can serve: filtered, never added to."""
    available: set[Capability] = {"vector", "keyword"} if bases else set()
    tools = Toolset.of(tools_for(agent.tools, mode=agent.mode))
    return tools.for_capabilities(available)


def _begin(run: AgentRun, agent: Agent, bases: Sequence[KnowledgeBase]) -> LoopState:
    aliases = Aliases()
    return LoopState.begin(
        run.question.text,
        system=system_prompt(agent, has_bases=bool(bases), now=timezone.now()),
        history=history_of(run, turns=agent.history_turns),
        mode="quick" if agent.mode == AgentMode.QUICK else "react",
        runtime_context=runtime_context_of(bases, aliases),
        aliases=aliases,
    )
