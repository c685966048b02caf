"""Searching without an answer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.limits import limit_actor
from integrations.api.allow_list import refuse_public_urls, require_listed
from integrations.api.answers import refuse_unsupported, success
from integrations.api.base import ApiView
from integrations.api.requests import SearchRequest, read
from integrations.api.schema import enveloped
from integrations.api.shapes import HitShape
from knowledge.retrieval.scope import Scope
from knowledge.sharing.search import retrieve_shared


class KnowledgeSearch(ApiView):
    """A search."""

    @extend_schema(
        tags=["search"],
        summary="Search knowledge",
        request=SearchRequest,
        responses=enveloped(HitShape, many=True),
    )
    def post(self, request: Request) -> Response:
        """Return the best passages, best first."""
        limit_actor(self.actor, "search")
        data = read(request, SearchRequest)
        refuse_public_urls(self.actor, request.query_params.get("resource_urls", ""))
        refuse_unsupported(request.data, "tag_ids", "mentioned_items")
        base_ids = _bases(data)
        require_listed(self.actor, base_ids or ())
        documents = tuple(data["knowledge_ids"]) if data.get("knowledge_ids") else None
        found = retrieve_shared(
            self.actor,
            query=data["query"],
            scope=Scope(base_ids=base_ids, document_ids=documents),
        )
        shown = HitShape(list(found.hits), many=True)  # type: ignore[arg-type]  # many takes a list
        return success(shown.data)


def _bases(data: dict[str, Any]) -> tuple[UUID, ...] | None:
    """Return the bases that a search names; None: all that the caller sees."""
    named = [*data.get("knowledge_base_ids", ())]
    if "knowledge_base_id" in data:
        named.append(data["knowledge_base_id"])
    return tuple(dict.fromkeys(named)) or None
