"""Pages of missing passages and of recorded searches."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid, NotFound
from core.htmx import render
from knowledge.models import KnowledgeBase
from knowledge.pages.heads import head_of
from knowledge.pages.searches import search_context, search_row
from knowledge.pages.why_not import (
    choices_context,
    members_of,
    problem_context,
    report_context,
)
from knowledge.queries import get_base
from knowledge.search_forms import SearchFilterForm, WhyNotForm
from knowledge.searches.losses import losses
from knowledge.searches.reading import get_search, list_searches, read_search
from knowledge.why_not.explain import Wish, explain_missing
from knowledge.why_not.find import find_named

SEARCHES_A_PAGE = 50
_ASKS = ("text", "name", "document", "chunk")
"""Without one of these the page has only its form."""


@require_http_methods(["GET", "POST"])
def base_why_not(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Say where an expected passage is lost; a pasted text is sent by POST, out of addresses."""
    found = get_base(request.actor, base_id)
    asked = request.POST if request.method == "POST" else request.GET
    form = WhyNotForm(members_of(request.actor, found), asked or None)
    report: dict[str, Any] | None = None
    if form.is_bound and any(asked.get(name, "").strip() for name in _ASKS):
        limit_actor(request.actor, "search")
        report = _report(request, found, form)
    elif request.method == "POST":
        report = problem_context(_("Paste the passage that you expected, or choose a document."))
    search_id = form.cleaned_data.get("search") if form.is_bound and form.is_valid() else None
    record = get_search(request.actor, search_id) if search_id else None
    if record is not None:
        del form.fields["question"]  # it is the record's
    context = {
        **head_of(request.actor, found),
        "form": form,
        "report": report,
        "record": record,
        "here": request.get_full_path() if request.method == "GET" else "",
    }
    return render(request, "knowledge/why_not.html", context, partial="knowledge/_why_not.html")


@require_GET
def base_searches(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """List the recorded searches of a base that the person may look into."""
    found = get_base(request.actor, base_id)
    form = SearchFilterForm(request.GET)
    rows = list_searches(request.actor, base_id=found.pk)
    wanted = form.cleaned_data if form.is_valid() else {}
    if wanted.get("door"):
        rows = rows.filter(door=wanted["door"])
    if wanted.get("result") == "nothing":
        rows = rows.filter(hit_count=0)
    if wanted.get("result") == "unsure":
        rows = rows.filter(confident=False)
    page = Paginator(rows, SEARCHES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **head_of(request.actor, found),
        "form": form,
        "rows": [search_row(row) for row in page],
        "page_obj": page,
        "days": settings.SEARCH_DAYS,
        "lost": losses(request.actor.space_id),
    }
    return render(request, "knowledge/searches.html", context, partial="knowledge/_searches.html")


@require_GET
def search_record(request: SpaceRequest, base_id: UUID, search_id: UUID) -> HttpResponse:
    """Show a recorded search of a base with what each stage thought of its candidates."""
    found = get_base(request.actor, base_id)
    recorded = read_search(request.actor, search_id)
    if found.pk not in recorded.row.base_ids:
        raise NotFound(_("There is no such search. Searches are kept for a while only."))
    context = {**head_of(request.actor, found), **search_context(recorded, found)}
    return render(request, "knowledge/search_record.html", context)


def _report(request: SpaceRequest, base: KnowledgeBase, form: WhyNotForm) -> dict[str, Any]:
    if not form.is_valid():
        problems = [
            f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()
        ]
        return problem_context(" ".join(problems))
    data = form.cleaned_data
    document_id = data["document"]
    if document_id is None and data["name"].strip():
        named = find_named(request.actor, base_id=base.pk, name=data["name"].strip())
        if len(named) != 1:
            return choices_context(data["question"], [(row.pk, row.name) for row in named])
        document_id = named[0].pk
    wish = Wish(
        base_id=base.pk,
        question=data["question"],
        text=data["text"],
        document_id=document_id,
        chunk_id=data["chunk"],
        user_id=data.get("user"),
        search_id=data["search"],
        for_answer=data["for_answer"],
    )
    try:
        return report_context(explain_missing(request.actor, wish), question=wish.question)
    except Invalid as refusal:
        return problem_context(refusal.message)
