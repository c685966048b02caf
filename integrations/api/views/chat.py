"""Asking, and hearing the answer as it is made."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.limits import limit_actor
from agents.models import Agent, AgentRun
from agents.queries import get_builtin_agent, get_conversation, get_run
from agents.services.conversations import Question, ask, stop_run
from agents.services.mentions import Mention
from core.errors import Invalid, NotFound
from integrations.api.allow_list import (
    refuse_public_urls,
    require_listed,
    require_named_bases,
)
from integrations.api.answers import refuse_unsupported, success
from integrations.api.base import ApiView
from integrations.api.requests import ChatRequest, StopRequest, read
from integrations.api.schema import DONE, EVENTS
from integrations.api.streams import stream_answer
from integrations.api.views.agents import agent_named

QUICK_ANSWER = "quick-answer"
_UNSUPPORTED = (
    *("web_search_enabled", "images", "attachment_uploads", "attachment_ids", "tag_ids"),
    *("mcp_service_ids", "skill_names", "summary_model_id", "agent_source_tenant_id"),
)


class _Chat(ApiView):
    """What both ways of asking have in common."""

    def answer(
        self, request: Request, session_id: UUID, *, agent_required: bool
    ) -> HttpResponseBase:
        """Put the question and stream its answer."""
        get_conversation(self.actor, session_id)
        limit_actor(self.actor, "ask")
        refuse_public_urls(self.actor, request.query_params.get("resource_urls", ""))
        data = read(request, ChatRequest)
        refuse_unsupported(request.data, *_UNSUPPORTED)
        agent = self._agent(data.get("agent_id", ""), agent_required=agent_required)
        question = _question(data, agent)
        named = [one.id for one in question.mentions if one.kind == "base"]
        require_listed(self.actor, [*question.base_ids, *named])
        named_something = bool(question.base_ids or question.mentions)
        require_named_bases(self.actor, agent, named=named_something)
        run = ask(self.actor, question, conversation_id=session_id)
        return stream_answer(self.actor, run)

    def _agent(self, name: str, *, agent_required: bool) -> Agent:
        if name:
            return agent_named(self.actor, name)
        if agent_required:
            raise Invalid("agent_id is missing: name the agent that answers.", field="agent_id")
        return get_builtin_agent(self.actor, QUICK_ANSWER)


class AgentChat(_Chat):
    """Asking an agent."""

    @extend_schema(
        tags=["chat"], summary="Ask an agent", request=ChatRequest, responses={200: EVENTS}
    )
    def post(self, request: Request, session_id: UUID) -> HttpResponseBase:
        """Ask the agent that `agent_id` names."""
        return self.answer(request, session_id, agent_required=True)


class KnowledgeChat(_Chat):
    """Asking for a quick answer."""

    @extend_schema(
        tags=["chat"], summary="Ask the knowledge", request=ChatRequest, responses={200: EVENTS}
    )
    def post(self, request: Request, session_id: UUID) -> HttpResponseBase:
        """Ask for a quick answer, or the agent that `agent_id` names."""
        return self.answer(request, session_id, agent_required=False)


class ContinueStream(ApiView):
    """Hearing an answer again."""

    @extend_schema(
        tags=["chat"],
        summary="Hear an answer from its beginning",
        parameters=[OpenApiParameter("message_id", OpenApiTypes.UUID, required=True)],
        responses={200: EVENTS},
    )
    def get(self, request: Request, session_id: UUID) -> HttpResponseBase:
        """Replay what was said, then go on with what comes."""
        refuse_public_urls(self.actor, request.query_params.get("resource_urls", ""))
        try:
            message_id = UUID(request.query_params.get("message_id", ""))
        except ValueError as error:
            raise Invalid("message_id is no id of a message.", field="message_id") from error
        return stream_answer(self.actor, self._run(session_id, message_id))

    def _run(self, session_id: UUID, message_id: UUID) -> AgentRun:
        return run_in(self, session_id, message_id)


class SessionStop(ApiView):
    """Stopping an answer."""

    @extend_schema(tags=["chat"], summary="Stop an answer", request=StopRequest, responses=DONE)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Stop it; what was said so far stays."""
        get_conversation(self.actor, session_id)
        run = run_in(self, session_id, read(request, StopRequest)["message_id"])
        stop_run(self.actor, run_id=run.pk)
        return success(message="Stopped")


def run_in(view: ApiView, session_id: UUID, message_id: UUID) -> AgentRun:
    """Return the run that makes an answer of a session.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    get_conversation(view.actor, session_id)
    run = get_run(view.actor, message_id)
    if run.conversation_id != session_id:
        raise NotFound("There is no such answer in this session.")
    return run


def _question(data: dict[str, Any], agent: Agent) -> Question:
    mentions = [
        Mention(kind="base" if one["type"] == "kb" else "document", id=one["id"])
        for one in data.get("mentioned_items", ())
    ]
    mentions += [Mention(kind="document", id=each) for each in data.get("knowledge_ids", ())]
    return Question(
        text=data["query"],
        agent_id=agent.pk,
        base_ids=tuple(dict.fromkeys(data.get("knowledge_base_ids", ()))),
        mentions=tuple(mentions),
    )
