"""Agents, to be read."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import Actor
from agents.models import Agent
from agents.queries import base_ids_of, get_any_agent, get_builtin_agent, list_agent_rows
from core.errors import NotFound
from integrations.api.answers import page_answer, success
from integrations.api.base import ApiView
from integrations.api.schema import PAGING, enveloped
from integrations.api.shapes import BUILTIN_PREFIX, AgentShape


class Agents(ApiView):
    """The agents that the caller sees."""

    @extend_schema(
        tags=["agents"],
        summary="List agents",
        parameters=PAGING,
        responses=enveloped(AgentShape, many=True),
    )
    def get(self, request: Request) -> Response:
        """List all of them in their order, or one page when a page is asked for."""
        rows = list(list_agent_rows(self.actor))
        context = {"base_ids": base_ids_of(self.actor, [row.pk for row in rows])}
        return page_answer(request, rows, AgentShape, whole=True, context=context)


class OneAgent(ApiView):
    """One agent."""

    @extend_schema(tags=["agents"], summary="Get an agent", responses=enveloped(AgentShape))
    def get(self, request: Request, agent_id: str) -> Response:
        """Get one by its id, or `builtin-quick-answer` and the like."""
        del request
        agent = agent_named(self.actor, agent_id)
        context = {"base_ids": base_ids_of(self.actor, [agent.pk])}
        return success(AgentShape(agent, context=context).data)


def agent_named(actor: Actor, name: str) -> Agent:
    """Return the agent with an id, or a built-in one by its key.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    if name.startswith(BUILTIN_PREFIX):
        return get_builtin_agent(actor, name.removeprefix(BUILTIN_PREFIX))
    with suppress(ValueError):
        return get_any_agent(actor, UUID(name))
    raise NotFound("There is no such agent.")
