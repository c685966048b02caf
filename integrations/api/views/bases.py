"""Knowledge bases."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Invalid
from integrations.api.allow_list import require_listed
from integrations.api.answers import page_answer, refuse_unsupported, success
from integrations.api.base import ApiView
from integrations.api.requests import BaseChangeRequest, BaseRequest, read
from integrations.api.schema import DONE, PAGING, enveloped
from integrations.api.shapes import BaseShape
from knowledge.base_settings import BaseSettings, SplitOptions, base_settings_of
from knowledge.models import KnowledgeBase
from knowledge.queries import base_counts, get_base, list_bases
from knowledge.services.bases import create_base, delete_base, update_base

_UNSUPPORTED = (
    *("vlm_config", "asr_config", "faq_config", "extract_config", "wiki_config"),
    *("question_generation_config", "auto_tag_config", "vector_store_id", "storage_backend_id"),
)


class KnowledgeBases(ApiView):
    """The bases that the caller sees."""

    @extend_schema(
        tags=["knowledge-bases"],
        summary="List knowledge bases",
        parameters=PAGING,
        responses=enveloped(BaseShape, many=True),
    )
    def get(self, request: Request) -> Response:
        """List all of them by name, or one page when a page is asked for."""
        return page_answer(request, list_bases(self.actor), BaseShape, whole=True)

    @extend_schema(
        tags=["knowledge-bases"],
        summary="Create a knowledge base",
        request=BaseRequest,
        responses={201: enveloped(BaseShape)},
    )
    def post(self, request: Request) -> Response:
        """Make one."""
        data = read(request, BaseRequest)
        refuse_unsupported(request.data, *_UNSUPPORTED)
        base = create_base(
            self.actor,
            name=data["name"],
            description=data.get("description", ""),
            settings=_settings(BaseSettings(), data.get("chunking_config")),
        )
        return success(BaseShape(base).data, status=201)


class OneKnowledgeBase(ApiView):
    """One base."""

    @extend_schema(
        tags=["knowledge-bases"], summary="Get a knowledge base", responses=enveloped(BaseShape)
    )
    def get(self, request: Request, base_id: UUID) -> Response:
        """Get one, with how many passages it holds."""
        del request
        base = self._base(base_id)
        return success({**_with_counts(self, base)})

    @extend_schema(
        tags=["knowledge-bases"],
        summary="Change a knowledge base",
        request=BaseChangeRequest,
        responses=enveloped(BaseShape),
    )
    def put(self, request: Request, base_id: UUID) -> Response:
        """Change its name, description and how documents are cut from now on."""
        base = self._base(base_id)
        data = read(request, BaseChangeRequest)
        config = data.get("config", {})
        refuse_unsupported(_config_sent(request.data), *_UNSUPPORTED)
        changed = update_base(
            self.actor,
            base_id=base_id,
            name=data["name"],
            description=data.get("description", base.description),
            settings=_settings(base_settings_of(base), config.get("chunking_config")),
        )
        return success(_with_counts(self, changed))

    @extend_schema(tags=["knowledge-bases"], summary="Delete a knowledge base", responses=DONE)
    def delete(self, request: Request, base_id: UUID) -> Response:
        """Delete it with all it holds."""
        del request
        require_listed(self.actor, [base_id])
        delete_base(self.actor, base_id=base_id)
        return success(message="Knowledge base deleted")

    def _base(self, base_id: UUID) -> KnowledgeBase:
        require_listed(self.actor, [base_id])
        return get_base(self.actor, base_id)


def _with_counts(view: ApiView, base: KnowledgeBase) -> dict[str, Any]:
    counts = base_counts(view.actor, base.pk)
    shown: dict[str, Any] = dict(BaseShape(base).data)
    return {**shown, "knowledge_count": counts.documents, "chunk_count": counts.passages}


def _config_sent(data: Any) -> Any:
    """Return the configuration as it was sent, with what the shape of requests leaves out."""
    return data.get("config") or {}


def _settings(before: BaseSettings, chunking: dict[str, int] | None) -> BaseSettings:
    if not chunking:
        return before
    size = chunking.get("chunk_size", before.split.size_characters)
    overlap = chunking.get("chunk_overlap", before.split.overlap_characters)
    if overlap * 2 > size:
        raise Invalid("chunk_overlap is at most half of chunk_size.", field="chunk_overlap")
    changed = {"size_characters": size, "overlap_characters": overlap}
    split = SplitOptions.model_validate({**before.split.model_dump(), **changed})
    return before.model_copy(update={"split": split})
