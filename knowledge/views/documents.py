"""Pages of documents: upload, read again, stop, delete, passages, the file itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from accounts.access import may
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, ProjectError
from core.htmx import render, wants_fragment
from core.markdown import render_markdown
from core.middleware import error_body
from knowledge.models import Chunk, Document
from knowledge.pages.labels import document_facts, page_label
from knowledge.pages.rows import row_of
from knowledge.queries import get_document, list_chunks
from knowledge.services.documents import (
    add_document,
    cancel_document,
    delete_document,
    retry_document,
)
from knowledge.storage import open_file

PASSAGES_A_PAGE = 50


@require_POST
def base_upload(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Take files into a base: one a request from the page's script, many from a plain form."""
    files = request.FILES.getlist("file")
    if not files:
        raise Invalid("No file came with this request. Choose one, and try again.")
    folder_path = request.POST.get("folder_path", "")
    if "text/html" not in request.headers.get("Accept", ""):
        return _upload_one(request, base_id, files[0], folder_path)
    for file in files:
        _add(request, base_id, file, folder_path)
    return redirect("base", base_id)


def _upload_one(
    request: SpaceRequest, base_id: UUID, file: UploadedFile[bytes], folder_path: str
) -> JsonResponse:
    try:
        document = _add(request, base_id, file, folder_path)
    except ProjectError as refusal:
        return JsonResponse(error_body(refusal), status=refusal.http_status)
    return JsonResponse({"id": str(document.pk), "state": document.state}, status=201)


def _add(
    request: SpaceRequest, base_id: UUID, file: UploadedFile[bytes], folder_path: str
) -> Document:
    """Add a file; the same one again, if it was not read, is read again instead of refused."""
    name, content = file.name or "", cast(BinaryIO, file.file)
    try:
        return add_document(
            request.actor, base_id=base_id, name=name, content=content, folder_path=folder_path
        )
    except Conflict as same:
        document = get_document(request.actor, UUID(same.data["document_id"]))
        if not row_of(document, may_change=True).can_retry or document.searchable_at:
            raise
        return retry_document(request.actor, document_id=document.pk)


@require_GET
def document(request: SpaceRequest, document_id: UUID) -> HttpResponse:
    """Show a document's passages; with `?chunk=` the page that holds it, marked."""
    found = get_document(request.actor, document_id)
    row = row_of(found, may_change=may(request.actor, "change", found))
    if wants_fragment(request) and not row.is_busy:
        return HttpResponse(headers={"HX-Refresh": "true"})
    chunks = list_chunks(request.actor, found.pk)
    target = _uuid_or_none(request.GET.get("chunk", ""))
    position = _position_of(chunks, target)
    wanted = request.GET.get("page") or _page_of(position)
    page = Paginator(chunks, PASSAGES_A_PAGE).get_page(wanted)
    context = {
        "base": found.base,
        "document": row,
        "facts": document_facts(found),
        "is_busy": row.is_busy,
        "passages": [_passage(chunk, target) for chunk in _rows(page)],
        "page_obj": page,
        "target_missing": target is not None and position is None,
        "file_url": f"/documents/{found.pk}/file/",
    }
    return render(
        request, "knowledge/document.html", context, partial="knowledge/_document_head.html"
    )


@require_GET
def document_file(request: SpaceRequest, document_id: UUID) -> FileResponse:
    """Send the stored file as a download; a browser never shows it in our name."""
    found = get_document(request.actor, document_id)
    response = FileResponse(
        open_file(request.actor.space_id, found.content_hash),
        as_attachment=True,
        filename=found.name,
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


@require_POST
def document_retry(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Read a document again."""
    return _changed(request, retry_document(request.actor, document_id=document_id))


@require_POST
def document_cancel(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Stop reading a document."""
    return _changed(request, cancel_document(request.actor, document_id=document_id))


@require_POST
def document_delete(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Delete a document and go back to where one was."""
    base_id = get_document(request.actor, document_id).base_id
    delete_document(request.actor, document_id=document_id)
    following = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return redirect(following)
    return redirect("base", base_id)


def _changed(request: SpaceRequest, found: Document) -> HttpResponseBase:
    """Answer htmx with the document's row, everybody else with the page they came from."""
    if not wants_fragment(request):
        return redirect("document", found.pk)
    row = row_of(get_document(request.actor, found.pk), may_change=True)
    response = render(request, "knowledge/_document_row.html", {"row": row})
    response["HX-Trigger"] = "documents"
    return response


def _passage(chunk: Chunk, target: UUID | None) -> dict[str, Any]:
    return {
        "id": str(chunk.pk),
        "number": chunk.position + 1,
        "location": page_label(chunk.page_from, chunk.page_to),
        "heading": " › ".join(chunk.heading_path),
        "html": render_markdown(chunk.text),
        "is_target": chunk.pk == target,
        "is_enabled": chunk.is_enabled,
    }


def _rows(page: Page[Chunk]) -> Sequence[Chunk]:
    return list(page.object_list)


def _position_of(chunks: QuerySet[Chunk], target: UUID | None) -> int | None:
    if target is None:
        return None
    return chunks.filter(pk=target).values_list("position", flat=True).first()


def _page_of(position: int | None) -> int:
    return 1 if position is None else position // PASSAGES_A_PAGE + 1


def _uuid_or_none(value: str) -> UUID | None:
    try:
        return UUID(value)
    except ValueError:
        return None
