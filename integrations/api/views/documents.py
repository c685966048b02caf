"""Documents (the reference says knowledge) and their passages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.limits import limit_actor
from core.envelope import CONFLICT, failure
from core.errors import Conflict, Invalid
from integrations.api.allow_list import require_listed
from integrations.api.answers import page_answer, refuse_unsupported, success
from integrations.api.base import ApiView
from integrations.api.requests import FileRequest, read
from integrations.api.schema import DONE, PAGING, enveloped
from integrations.api.shapes import ChunkShape, KnowledgeShape
from knowledge.constants import DocumentState
from knowledge.models import Document
from knowledge.queries import get_base, get_document, list_chunks, list_documents
from knowledge.services.documents import add_document, delete_document

CHUNKS_A_PAGE = 10
_STATES = {
    "pending": (DocumentState.PENDING,),
    "processing": (DocumentState.PROCESSING,),
    "finalizing": (),
    "completed": (DocumentState.COMPLETED,),
    "failed": (DocumentState.FAILED, DocumentState.NEEDS_INPUT, DocumentState.REFUSED),
    "cancelled": (DocumentState.CANCELLED,),
}
"""Our states by the reference's word for them."""
_FILTERS = [
    OpenApiParameter("keyword", OpenApiTypes.STR, description="Part of the name"),
    OpenApiParameter("file_type", OpenApiTypes.STR, description="Such as pdf"),
    OpenApiParameter("parse_status", OpenApiTypes.STR, enum=list(_STATES)),
]


class BaseKnowledge(ApiView):
    """The documents of a base."""

    @extend_schema(
        tags=["knowledge"],
        summary="List documents of a knowledge base",
        parameters=[*PAGING, *_FILTERS],
        responses=enveloped(KnowledgeShape, many=True),
    )
    def get(self, request: Request, base_id: UUID) -> Response:
        """List them, newest first."""
        require_listed(self.actor, [base_id])
        base = get_base(self.actor, base_id)
        asked = request.query_params
        refuse_unsupported(asked, "tag_ids", "source", "start_time", "end_time", "folder_path")
        rows = list_documents(self.actor, base.pk, search=asked.get("keyword", "")[:200])
        return page_answer(request, _narrowed(rows, asked), KnowledgeShape)


class BaseKnowledgeFile(ApiView):
    """Where files go into a base."""

    parser_classes = (MultiPartParser,)  # type: ignore[assignment]  # the base has JSON

    @extend_schema(
        tags=["knowledge"],
        summary="Upload a file",
        request={"multipart/form-data": FileRequest},
        responses=enveloped(KnowledgeShape),
    )
    def post(self, request: Request, base_id: UUID) -> Response:
        """Put a file into a base and begin to read it; a second copy is answered with the first."""
        require_listed(self.actor, [base_id])
        base = get_base(self.actor, base_id)
        limit_actor(self.actor, "upload")
        data = read(request, FileRequest)
        refuse_unsupported(request.data, "metadata", "tag_ids", "process_config")
        folder, _, name = (data.get("fileName") or data["file"].name).rpartition("/")
        try:
            document = add_document(
                self.actor, base_id=base.pk, name=name, content=data["file"], folder_path=folder
            )
        except Conflict as refusal:
            return self._there_already(refusal)
        return success(KnowledgeShape(document).data)

    def _there_already(self, refusal: Conflict) -> Response:
        """Name the document that is this very file."""
        document_id = refusal.data.get("document_id")
        if document_id is None:
            raise refusal
        there = get_document(self.actor, UUID(document_id))
        details = {"reason": "duplicate_file", "document_id": document_id}
        body = failure(CONFLICT, refusal.message, details)
        return Response({**body, "data": KnowledgeShape(there).data}, status=409)


class OneKnowledge(ApiView):
    """One document."""

    @extend_schema(
        tags=["knowledge"], summary="Get a document", responses=enveloped(KnowledgeShape)
    )
    def get(self, request: Request, document_id: UUID) -> Response:
        """Get one."""
        del request
        return success(KnowledgeShape(get_document(self.actor, document_id)).data)

    @extend_schema(tags=["knowledge"], summary="Delete a document", responses=DONE)
    def delete(self, request: Request, document_id: UUID) -> Response:
        """Delete it with everything made of it."""
        del request
        delete_document(self.actor, document_id=document_id)
        return success(message="Knowledge deleted")


class Chunks(ApiView):
    """The passages of a document."""

    @extend_schema(
        tags=["chunks"],
        summary="List passages of a document",
        parameters=PAGING,
        responses=enveloped(ChunkShape, many=True),
    )
    def get(self, request: Request, document_id: UUID) -> Response:
        """List them in reading order."""
        document = get_document(self.actor, document_id)
        rows = list_chunks(self.actor, document.pk)
        return page_answer(request, rows, ChunkShape, page_size=CHUNKS_A_PAGE)


def _narrowed(rows: QuerySet[Document], asked: Any) -> QuerySet[Document]:
    status = asked.get("parse_status", "")
    if status:
        if status not in _STATES:
            known = ", ".join(_STATES)
            raise Invalid(f"parse_status {status!r} is none of {known}.", field="parse_status")
        rows = rows.filter(state__in=_STATES[status])
    file_type = asked.get("file_type", "").lower().lstrip(".")[:20]
    return rows.filter(file_type=file_type) if file_type else rows
