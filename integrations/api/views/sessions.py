"""The caller's own conversations (the reference says sessions)."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from agents.queries import get_conversation, list_conversations
from agents.services.conversations import (
    create_conversation,
    delete_conversation,
    rename_conversation,
)
from integrations.api.answers import page_answer, refuse_unsupported, success
from integrations.api.base import ApiView
from integrations.api.requests import SessionRequest, read
from integrations.api.schema import DONE, PAGING, enveloped
from integrations.api.shapes import SessionShape


class Sessions(ApiView):
    """All of them."""

    @extend_schema(
        tags=["sessions"],
        summary="List own sessions",
        parameters=PAGING,
        responses=enveloped(SessionShape, many=True),
    )
    def get(self, request: Request) -> Response:
        """List them, newest first; `keyword` is a part of the title."""
        refuse_unsupported(request.query_params, "source", "agent_id")
        keyword = request.query_params.get("keyword", "")[:200]
        rows = list_conversations(self.actor)
        if keyword:
            rows = rows.filter(title__icontains=keyword)
        return page_answer(request, rows, SessionShape)

    @extend_schema(
        tags=["sessions"],
        summary="Begin a session",
        request=SessionRequest,
        responses={201: enveloped(SessionShape)},
    )
    def post(self, request: Request) -> Response:
        """Begin an empty one; without a title its first question names it."""
        data = read(request, SessionRequest)
        conversation = create_conversation(self.actor, title=data.get("title", ""))
        return success(SessionShape(conversation).data, status=201)


class OneSession(ApiView):
    """One of them."""

    @extend_schema(tags=["sessions"], summary="Get a session", responses=enveloped(SessionShape))
    def get(self, request: Request, session_id: UUID) -> Response:
        """Get it."""
        del request
        return success(SessionShape(get_conversation(self.actor, session_id)).data)

    @extend_schema(
        tags=["sessions"],
        summary="Rename a session",
        request=SessionRequest,
        responses=enveloped(SessionShape),
    )
    def put(self, request: Request, session_id: UUID) -> Response:
        """Give it another title."""
        get_conversation(self.actor, session_id)
        title = read(request, SessionRequest).get("title", "")
        renamed = rename_conversation(self.actor, conversation_id=session_id, title=title)
        return success(SessionShape(renamed).data)

    @extend_schema(tags=["sessions"], summary="Delete a session", responses=DONE)
    def delete(self, request: Request, session_id: UUID) -> Response:
        """Delete it with everything said in it."""
        del request
        delete_conversation(self.actor, conversation_id=session_id)
        return success(message="Session deleted")
