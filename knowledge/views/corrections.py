"""Pages of corrections: those of a document, and the lost ones of a knowledge base."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, NotFound, TooLarge
from core.htmx import render
from core.textdiff import diff_lines
from knowledge.constants import CorrectionState
from knowledge.corrections.lost import (
    apply_by_hand,
    candidates_of,
    list_corrections,
    list_lost,
    withdraw,
)
from knowledge.models import Correction
from knowledge.pages.documents import document_head
from knowledge.pages.heads import head_of
from knowledge.pages.labels import page_label
from knowledge.queries import get_base, get_document

CORRECTIONS_A_PAGE = 20


@require_http_methods(["GET", "POST"])
def document_corrections(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show the corrections of a document; put a lost one into a passage, or give one up."""
    found = get_document(request.actor, document_id)
    if request.method == "POST":
        require(request.actor, "change", found)
        try:
            _take(request)
        except (Conflict, Invalid, TooLarge) as refusal:
            messages.error(request, refusal.message)
        else:
            messages.success(request, _("Saved."))
        return redirect("document_corrections", found.pk)
    rows = list_corrections(request.actor, found.pk)
    page = Paginator(rows, CORRECTIONS_A_PAGE).get_page(request.GET.get("at"))
    head = document_head(request.actor, found, tab="chunks")
    context = {
        **head,
        "is_busy": False,
        "corrections": [_shown(row, with_candidates=head["may_change"]) for row in page],
        "page_obj": page,
    }
    return render(request, "knowledge/chunk_corrections.html", context)


@require_GET
def base_corrections(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show the corrections of a knowledge base that a person must find a place for."""
    base = get_base(request.actor, base_id)
    rows = list_lost(request.actor, base.pk)
    page = Paginator(rows, CORRECTIONS_A_PAGE).get_page(request.GET.get("at"))
    context = {
        **head_of(request.actor, base),
        "corrections": [
            {**_shown(row, with_candidates=False), "document_name": row.document.name}
            for row in page
        ],
        "page_obj": page,
    }
    return render(request, "knowledge/chunk_lost.html", context)


def _take(request: SpaceRequest) -> None:
    correction_id = _id(request, "correction")
    if request.POST.get("action") == "withdraw":
        withdraw(request.actor, correction_id=correction_id)
        return
    version = request.POST.get("version", "")
    apply_by_hand(
        request.actor,
        correction_id=correction_id,
        chunk_id=_id(request, "chunk"),
        version=int(version) if version.isdecimal() and len(version) < 9 else 0,
        text=request.POST.get("text", ""),
    )


def _shown(row: Correction, *, with_candidates: bool) -> dict[str, Any]:
    is_lost = row.state == CorrectionState.LOST
    url = reverse("document_chunks", args=[row.document_id])
    return {
        "id": str(row.pk),
        "document_id": row.document_id,
        "is_lost": is_lost,
        "is_off": not row.is_enabled,
        "rows": diff_lines(row.original_text, row.text, context=1),
        "location": page_label(row.page, row.page),
        "heading": " › ".join(row.heading_path),
        "author": str(row.updated_by) if row.updated_by else "",
        "at": row.updated_at,
        "url": f"{url}?chunk={row.chunk_id}#chunk-{row.chunk_id}" if row.chunk_id else "",
        "candidates": _candidates(row) if is_lost and with_candidates else [],
        "text": row.text,
    }


def _candidates(row: Correction) -> list[dict[str, Any]]:
    return [
        {
            "id": str(each.chunk.pk),
            "number": each.chunk.position + 1,
            "version": each.chunk.version,
            "percent": each.percent,
            "location": page_label(each.chunk.page_from, each.chunk.page_to),
            "text": each.chunk.text,
        }
        for each in candidates_of(row)
    ]


def _id(request: SpaceRequest, name: str) -> UUID:
    try:
        return UUID(request.POST.get(name, ""))
    except ValueError as error:
        raise NotFound(_("There is no such correction.")) from error
