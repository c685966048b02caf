"""Gets a run ready: who asks, where they may look, with which model, tools and history."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.answers.history import history_of
from agents.bindings import offered
from agents.catalogue import tools_for
from agents.configuration import AgentConfig
from agents.constants import AgentMode
from agents.engine.aliases import Aliases
from agents.engine.limits import RunLimits
from agents.engine.state import RunState as LoopState
from agents.engine.toolsets import Toolset
from agents.memory.recall import Recalled, recall_for
from agents.models import Agent, AgentRun
from agents.runs.blobs import unpack_state
from agents.runs.prompting import runtime_context_of, system_prompt
from agents.runs.scope import RunScope, scope_of_run
from agents.runs.skilled import mentioned_skills, skill_lines
from agents.runs.store import Lease
from agents.sharing.prompts import with_prompt
from agents.sharing.running import Engaged, chat_model_of, engage, model_fields
from agents.tools.deps import RunDeps
from agents.tools.guard import guard_tools
from agents.tracing.closed import is_closed
from core.errors import Conflict
from core.tenancy import space_scope
from providers.constants import ModelType
from providers.contracts.chat import ChatModel, ChatOptions
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.services.clients import get_chat_model

QUICK_OUTPUT_TOKENS = 2048
"""What a quick answer may use when its agent says nothing (the reference's default)."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Everything the loop needs for this run."""

    lease: Lease
    agent: Agent
    deps: RunDeps
    model: ChatModel
    toolset: Toolset[RunDeps]
    limits: RunLimits
    options: ChatOptions
    state: LoopState
    is_new: bool
    """False: an earlier worker began it, and it goes on from the stored state."""
    rewriter: ChatModel | None = None
    """Who makes a quick answer's question stand alone; None where that is not done."""
    memory_note: str = ""
    """What went wrong with the person's memory, for people."""


def prepare(lease: Lease, run: AgentRun) -> Prepared:
    """Read and check what the run needs; permission is asked anew, also when it is resumed.

    Raises:
        NotFound: the person is no member of the space any more, the key they asked by is not valid
            any more, or a model is gone.
        Invalid: the agent is gone, or no longer shared.
        Conflict: it is resumed, and something it had read is closed to the person meanwhile.
    """
    engaged = engage(run)
    agent, actor = engaged.agent, engaged.actor
    scope = scope_of_run(actor, agent, run)
    config = agent.settings
    deps = RunDeps(
        actor=actor,
        run_id=run.pk,
        conversation_id=run.conversation_id,
        agent_id=agent.pk,
        base_ids=scope.base_ids,
        config=config,
        document_ids=scope.document_ids,
        whole_base_ids=scope.whole_base_ids,
        capabilities=scope.capabilities,
        depth=run.depth,
        shared_by=engaged.space_id if engaged.is_shared else None,
    )
    row = chat_model_of(agent)
    model = get_chat_model(row)
    _note_model(run, row)
    is_new = not run.loop_state
    # What a space remembers of its people is not for another space's model.
    recalls = is_new and not engaged.is_shared
    recalled = recall_for(actor, run, config) if recalls else Recalled()
    if not is_new and is_closed(actor, run.pk):
        raise Conflict(_("Some of what it read is closed to you now. Ask the question again."))
    state = _begin(actor, run, agent, scope, recalled) if is_new else _resumed(run, engaged, scope)
    state.catch_up(run.last_seq)
    return Prepared(
        lease=lease,
        agent=agent,
        deps=deps,
        model=model,
        toolset=toolset_of(agent, scope),
        limits=limits_of(config, mode=agent.mode),
        options=ChatOptions(temperature=config.temperature, thinking=config.thinking),
        state=state,
        is_new=is_new,
        rewriter=rewriter_of(agent, row, model, has_history=_has_history(state)),
        memory_note=recalled.note,
    )


def _note_model(run: AgentRun, row: AIModel) -> None:
    """Write down which model answers, where it is another one than when the question was put."""
    used = model_fields(row)
    if any(getattr(run, name) != value for name, value in used.items()):
        AgentRun.objects.filter(pk=run.pk).update(**used)


def _resumed(run: AgentRun, engaged: Engaged, scope: RunScope) -> LoopState:
    """Return the stored state; the instructions of a shared agent are not stored with it."""
    state = unpack_state(run.loop_state)
    if not engaged.is_shared:
        return state
    prompt = system_prompt(engaged.agent, has_bases=bool(scope.useful), now=timezone.now())
    return with_prompt(state, prompt)


def toolset_of(agent: Agent, scope: RunScope) -> Toolset[RunDeps]:
    """Return the agent's tools that the bases can serve: filtered, never added to."""
    tools = tools_for(agent.settings.allowed_tools, mode=agent.mode)
    return Toolset.of(guard_tools(offered(tools, scope.capabilities)))


def limits_of(config: AgentConfig, *, mode: str) -> RunLimits:
    """Return the loop's limits for a configuration; 0 in it stands for the platform's default."""
    defaults = RunLimits()
    output = QUICK_OUTPUT_TOKENS if mode == AgentMode.QUICK else defaults.max_output_tokens
    return RunLimits(
        max_rounds=config.max_iterations,
        call_timeout_seconds=config.llm_call_timeout or defaults.call_timeout_seconds,
        tool_output_chars=config.max_tool_output_chars,
        parallel_calls=defaults.parallel_calls if config.parallel_tool_calls else 1,
        context_tokens=config.max_context_tokens or None,
        max_output_tokens=config.max_completion_tokens or output,
    )


def rewriter_of(
    agent: Agent, row: AIModel, model: ChatModel, *, has_history: bool
) -> ChatModel | None:
    """Return the model that rewrites questions: the agent's small one, else its own.

    Its own is asked only where there is a conversation to read: the first question stands alone
    already, and a call before its answer would only cost time. A model that only quotes cannot.
    """
    config = agent.settings
    if agent.mode != AgentMode.QUICK or not config.enable_rewrite:
        return None
    small = _small_model(agent)
    if small is not None:
        return get_chat_model(small)
    return model if has_history and not read_parameters(row.parameters).extractive else None


def _small_model(agent: Agent) -> AIModel | None:
    """Return the agent's own model for questions, in the agent's space; None when it is gone."""
    try:
        key = UUID(agent.settings.query_understand_model_id)
    except ValueError:
        return None
    with space_scope(agent.space_id):
        row = AIModel.objects.filter(pk=key, type=ModelType.CHAT, is_enabled=True).first()
    return None if row is None or read_parameters(row.parameters).extractive else row


def _has_history(state: LoopState) -> bool:
    return any(each.role == "user" for each in state.messages[: state.question_at])


def turns_of(agent: Agent) -> int:
    """Return how many earlier question-answer pairs the agent reads."""
    config = agent.settings
    several = config.multi_turn_enabled or agent.mode == AgentMode.REACT
    return config.history_turns if several else 0


def _begin(
    actor: Actor, run: AgentRun, agent: Agent, scope: RunScope, recalled: Recalled
) -> LoopState:
    aliases, now, config = Aliases(), timezone.now(), agent.settings
    context = runtime_context_of(scope, aliases, mode=agent.mode, now=now)
    hint = mentioned_skills(run.question.text, skill_lines(agent))
    return LoopState.begin(
        run.question.text,
        system=system_prompt(agent, has_bases=bool(scope.useful), now=now),
        history=history_of(
            run,
            actor=actor,
            turns=turns_of(agent),
            aliases=aliases,
            with_steps=agent.mode == AgentMode.REACT,
            retains_results=config.retain_retrieval_history,
        ),
        mode="quick" if agent.mode == AgentMode.QUICK else "react",
        runtime_context=recalled.beside(f"{context}\n{hint}" if hint else context),
        aliases=aliases,
        shows_markers=config.citation_enabled,
    )
