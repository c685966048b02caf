"""Writes down what each call of a model took: one `ModelUsage` row a call.

Calls of runs are metered by a projection, in the transaction that stores the event; other calls for
a person (titles, summaries, memory, suggestions) by `meter`. A call that broke off reports nothing
and is not counted: no service says what it took.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from accounts.models import Space
from agents.engine.events import UsageReported
from agents.models import Agent, AgentRun, ModelUsage
from agents.runs.projections import projects
from agents.spending.prices import cost_of, prices_of
from core.tenancy import space_scope
from providers.constants import ModelType
from providers.contracts.chat import Usage
from providers.models import AIModel


@projects(UsageReported)
def store_usage(run: AgentRun, event: UsageReported) -> None:
    """Meter a call of a run, once per event."""
    if run.shared_agent_id is not None and run.shared_space_id is not None:
        _store_of_shared(run, event, agent_id=run.shared_agent_id, space_id=run.shared_space_id)
        return
    row = _model_of(run.agent, event.model)
    usage = ModelUsage(
        run=run,
        seq=event.seq,
        space_id=run.space_id,
        agent_id=run.agent_id,
        user_id=run.user_id,
        **_measured(event.usage, row, name=event.model, purpose=event.purpose),
    )
    ModelUsage.objects.bulk_create([usage], ignore_conflicts=True)


def _store_of_shared(run: AgentRun, event: UsageReported, *, agent_id: UUID, space_id: int) -> None:
    """Meter a call of a shared agent in the space whose model it is; it reads which space asked."""
    if not Space.objects.filter(pk=space_id).exists():
        return  # deleted meanwhile, and its figures with it
    with space_scope(space_id):
        agent = Agent.objects.filter(pk=agent_id).first()
        row = _model_of(agent, event.model)
        ModelUsage.objects.get_or_create(
            asking_run_id=run.pk,
            seq=event.seq,
            defaults={
                "space_id": space_id,
                "agent": agent,
                "asking_space_id": run.space_id,
                **_measured(event.usage, row, name=event.model, purpose=event.purpose),
            },
        )


def meter(
    *,
    space_id: int,
    user_id: int | None,
    model: AIModel,
    usage: Usage,
    purpose: str,
    agent_id: UUID | None = None,
) -> ModelUsage:
    """Meter a call that belongs to no run; `purpose` is one word such as "title"."""
    return ModelUsage.objects.create(
        space_id=space_id,
        agent_id=agent_id,
        user_id=user_id,
        **_measured(usage, model, name=model.name, purpose=purpose),
    )


def _measured(usage: Usage, model: AIModel | None, *, name: str, purpose: str) -> dict[str, Any]:
    return {
        "model": model,
        "model_name": name[:200],
        "purpose": purpose[:20],
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": cost_of(usage, prices_of(model)),
    }


def _model_of(agent: Agent | None, name: str) -> AIModel | None:
    """Return the row by the name that the event gives: the agent's own one first."""
    rows = list(
        AIModel.objects.filter(name=name, type__in=(ModelType.CHAT, ModelType.VISION)).order_by(
            "-is_default", "pk"
        )
    )
    chosen = agent.chat_model_id if agent else None
    return next((row for row in rows if row.pk == chosen), rows[0] if rows else None)
