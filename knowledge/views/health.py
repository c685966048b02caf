"""Pages that say how well files were read, and let another engine try."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid
from core.htmx import render
from knowledge.constants import BaseKind
from knowledge.health.proposals import get_proposal, keep, propose, take
from knowledge.health.queries import base_pages, read_filter
from knowledge.pages.documents import document_head
from knowledge.pages.heads import head_of
from knowledge.pages.health import REASON_WORDS, compare, weak_rows
from knowledge.queries import get_base, get_document

ROWS_A_PAGE = 50
_LEVELS = {
    "weak": gettext_lazy("Weak"),
    "doubtful": gettext_lazy("Weak and fair"),
    "all": gettext_lazy("All pages"),
}
_ORDERS = {
    "worst": gettext_lazy("Weakest first"),
    "best": gettext_lazy("Best first"),
    "document": gettext_lazy("By document"),
}


@require_GET
def base_health(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show the pages of a knowledge base that were read badly."""
    base = get_base(request.actor, base_id)
    if base.kind == BaseKind.FAQ:
        raise Invalid(_("This knowledge base holds questions and answers: no file was read."))
    asked = request.GET
    wanted = read_filter(
        level=asked.get("level", ""),
        signal=asked.get("reason", ""),
        search=asked.get("q", ""),
        order=asked.get("sort", ""),
    )
    rows = base_pages(request.actor, base.pk, wanted)
    page = Paginator(rows, ROWS_A_PAGE).get_page(asked.get("page"))
    context = {
        **head_of(request.actor, base),
        "rows": weak_rows(request.actor, page),
        "page_obj": page,
        "wanted": wanted,
        "levels": _LEVELS,
        "orders": _ORDERS,
        "reasons": REASON_WORDS,
        "is_narrowed": bool(wanted.search or wanted.signal),
    }
    return render(request, "knowledge/health.html", context, partial="knowledge/_health_rows.html")


@require_POST
def document_engine_try(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Have another engine read a document into a proposal."""
    engine = request.POST.get("engine", "")
    page = request.POST.get("page", "")
    document = get_document(request.actor, document_id)
    require(request.actor, "change", document)
    limit_actor(request.actor, "upload")
    try:
        propose(request.actor, document_id=document.pk, engine=engine)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("base_health", document.base_id)
    address = reverse("document_engine", args=[document.pk, engine])
    return redirect(f"{address}?page={page}" if page.isdecimal() else address)


@require_http_methods(["GET", "POST"])
def document_engine(request: SpaceRequest, document_id: UUID, engine: str) -> HttpResponseBase:
    """Show what another engine read beside what is there; take it, or keep what is there."""
    document = get_document(request.actor, document_id)
    require(request.actor, "change", document)
    if request.method == "POST":
        if request.POST.get("action") == "take":
            take(request.actor, document_id=document.pk, engine=engine)
            messages.success(request, _("The document is read again with this text."))
            return redirect("document", document.pk)
        keep(request.actor, document_id=document.pk, engine=engine)
        messages.success(request, _("Nothing was changed."))
        return redirect("base_health", document.base_id)
    proposal = get_proposal(request.actor, document, engine)
    asked = request.GET.get("page", "")
    page = int(asked) if asked.isdecimal() and len(asked) < 8 else None
    found = compare(document, proposal, wanted_page=page) if proposal.state == "ready" else None
    context = {
        **document_head(request.actor, document, tab=""),
        "proposal": proposal,
        "comparison": found,
    }
    return render(
        request, "knowledge/health_compare.html", context, partial="knowledge/_health_compare.html"
    )
