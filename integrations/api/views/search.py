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
from knowledge.constants import SearchDoor
from knowledge.retrieval.filter_values import Condition, Filter, narrowed, read_filter
from knowledge.retrieval.scope import Scope
from knowledge.searches.record import record_search
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
        refuse_unsupported(request.data, "mentioned_items")
        base_ids = _bases(data)
        require_listed(self.actor, base_ids or ())
        documents = tuple(data["knowledge_ids"]) if data.get("knowledge_ids") else None
        scope = Scope(base_ids=base_ids, document_ids=documents, filter=_filter(data))
        found = retrieve_shared(self.actor, query=data["query"], scope=scope)
        record_search(self.actor, door=SearchDoor.API, scope=scope, found=found)
        shown = HitShape(list(found.hits), many=True)  # type: ignore[arg-type]  # many takes a list
        return success(shown.data)


def _filter(data: dict[str, Any]) -> Filter | None:
    """Return which documents a search is limited to; None: all."""
    wanted = read_filter(data["filter"]) if "filter" in data else None
    tags = tuple(data.get("tag_ids") or ())
    one_of = [Condition(field="tag", operator="in", value=tags)] if tags else []
    return narrowed(wanted, *one_of)


def _bases(data: dict[str, Any]) -> tuple[UUID, ...] | None:
    """Return the bases that a search names; None: all that the caller sees."""
    named = [*data.get("knowledge_base_ids", ())]
    if "knowledge_base_id" in data:
        named.append(data["knowledge_base_id"])
    return tuple(dict.fromkeys(named)) or None
