"""The timeline of a document: how it was read, and the button that stops it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from accounts.middleware import SpaceRequest
from core.htmx import render
from knowledge.enrich.services import stop_enrichment
from knowledge.pages.documents import document_head
from knowledge.pages.timeline import timeline_of
from knowledge.queries import get_document


@require_GET
def document_timeline(request: SpaceRequest, document_id: UUID) -> HttpResponse:
    """Show how a document was read; while something goes on the timeline fetches itself."""
    timeline = timeline_of(request.actor, document_id)
    found = get_document(request.actor, document_id)
    context = {**document_head(request.actor, found, tab="timeline"), "timeline": timeline}
    return render(request, "knowledge/timeline.html", context, partial="knowledge/_timeline.html")


@require_POST
def document_enrichment_stop(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Stop what a model still adds to a document."""
    stop_enrichment(request.actor, document_id=document_id)
    return redirect("document_timeline", document_id)
