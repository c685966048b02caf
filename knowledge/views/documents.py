"""Pages of documents: upload, read again, stop, delete, passages, the file itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, ProjectError, Refused
from core.htmx import render, wants_fragment
from core.middleware import error_body, with_wait
from knowledge.batches.services import batch_to_fill
from knowledge.constants import DocumentSource
from knowledge.models import Chunk, Document
from knowledge.organising.trash import trash_document
from knowledge.pages.documents import document_head
from knowledge.pages.downloads import download
from knowledge.pages.labels import page_label
from knowledge.pages.rows import row_of
from knowledge.pages.undo import offer_undo
from knowledge.pictures.shown import passages_html
from knowledge.queries import get_document, list_chunks
from knowledge.services.documents import (
    INFECTED,
    UNSCANNED,
    Origin,
    add_document,
    cancel_document,
    retry_document,
)
from knowledge.sources.made import home_of

PASSAGES_A_PAGE = 50


@require_POST
def base_upload(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Take files into a base: one a request from the page's script, many from a plain form."""
    files = request.FILES.getlist("file")
    if not files:
        raise Invalid(_("No file came with this request. Choose one, and try again."))
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
        return with_wait(JsonResponse(error_body(refusal), status=refusal.http_status), refusal)
    return JsonResponse({"id": str(document.pk), "state": document.state}, status=201)


def _add(
    request: SpaceRequest, base_id: UUID, file: UploadedFile[bytes], folder_path: str
) -> Document:
    """Add a file; the same one again, if it was not read, is read again instead of refused."""
    batch_id = _batch_of(request, base_id)
    name, content = file.name or "", cast(BinaryIO, file.file)
    try:
        return add_document(
            request.actor,
            base_id=base_id,
            name=name,
            content=content,
            folder_path=folder_path,
            origin=Origin(source=_source(request), batch_id=batch_id),
        )
    except Conflict as same:
        document = get_document(request.actor, UUID(same.data["document_id"]))
        if not row_of(document, may_change=True).can_retry or document.searchable_at:
            raise
        return retry_document(request.actor, document_id=document.pk)


def _batch_of(request: SpaceRequest, base_id: UUID) -> UUID | None:
    """Return the batch that the file belongs to; files that were announced with it count as one."""
    batch_id = _uuid_or_none(request.POST.get("batch", ""))
    if batch_id is None:
        limit_actor(request.actor, "upload")
        return None
    batch = batch_to_fill(request.actor, base_id=base_id, batch_id=batch_id)
    if Document.objects.filter(batch=batch).count() >= int(batch.estimate.get("documents", 0)):
        limit_actor(request.actor, "upload")
    return batch.pk


def _source(request: SpaceRequest) -> DocumentSource:
    """Say whether a file was chosen or came from the clipboard."""
    is_paste = request.POST.get("source") == DocumentSource.PASTE
    return DocumentSource.PASTE if is_paste else DocumentSource.FILE


@require_GET
def document(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show a document's passages; with `?chunk=` the page that holds it, marked."""
    found = get_document(request.actor, document_id)
    if found.source == DocumentSource.FAQ:
        return _to_entry(found, _uuid_or_none(request.GET.get("chunk", "")))
    if (home := home_of(found)) is not None:
        return redirect(home)
    head = document_head(request.actor, found, tab="passages")
    if wants_fragment(request) and not head["is_busy"]:
        return HttpResponse(headers={"HX-Refresh": "true"})
    chunks = list_chunks(request.actor, found.pk)
    target = _uuid_or_none(request.GET.get("chunk", ""))
    position = _position_of(chunks, target)
    wanted = request.GET.get("page") or _page_of(position)
    page = Paginator(chunks, PASSAGES_A_PAGE).get_page(wanted)
    context = {
        **head,
        "passages": _passages(_rows(page), target),
        "page_obj": page,
        "target_missing": target is not None and position is None,
    }
    return render(
        request, "knowledge/document.html", context, partial="knowledge/_document_head.html"
    )


def _to_entry(document: Document, chunk_id: UUID | None) -> HttpResponseBase:
    """Go where the cited entry stands; to all of them when it is gone."""
    chunk = document.chunks.filter(pk=chunk_id).first() if chunk_id else None
    if chunk is None or chunk.faq_entry_id is None:
        return redirect("faq", document.base_id)
    return redirect("faq_entry", chunk.faq_entry_id)


@require_GET
def document_file(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Send the stored file as a download; a browser never shows it in our name."""
    found = get_document(request.actor, document_id)
    if found.reason_code in (UNSCANNED, INFECTED):
        raise Refused(_("The virus scanner has not cleared this file, so it cannot be downloaded."))
    return download(request.actor.space_id, found.content_hash, found.name)


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
    """Put a document into the trash and go back to where one was."""
    trashed = trash_document(request.actor, document_id=document_id)
    base_id = trashed.base_id
    offer_undo(request, base_id, trashed.document_ids)
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


def _passages(chunks: Sequence[Chunk], target: UUID | None) -> list[dict[str, Any]]:
    shown = passages_html((chunk.document_id, chunk.text) for chunk in chunks)
    return [_passage(chunk, target, html) for chunk, html in zip(chunks, shown, strict=True)]


def _passage(chunk: Chunk, target: UUID | None, html: SafeString) -> dict[str, Any]:
    return {
        "id": str(chunk.pk),
        "number": chunk.position + 1,
        "location": page_label(chunk.page_from, chunk.page_to),
        "heading": " › ".join(chunk.heading_path),
        "html": html,
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
