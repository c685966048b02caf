"""Pages of knowledge bases."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render
from knowledge.base_settings import BaseSettings, base_settings_of
from knowledge.constants import DocumentState
from knowledge.forms import BaseForm, SearchForm
from knowledge.models import KnowledgeBase
from knowledge.pages.labels import base_facts, upload_facts
from knowledge.pages.results import dropped_ids, result_of
from knowledge.pages.rows import row_of
from knowledge.queries import (
    base_counts,
    get_base,
    get_chunks,
    list_bases,
    list_documents,
)
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.services.bases import create_base, delete_base, update_base

DOCUMENTS_A_PAGE = 50


@require_GET
def bases(request: SpaceRequest) -> HttpResponse:
    """List the bases, or those with a part of the name."""
    search = request.GET.get("q", "").strip()[:200]
    rows = list_bases(request.actor)
    if search:
        rows = rows.filter(name__icontains=search)
    context = {
        "cards": [_card(base) for base in rows],
        "search": search,
        "may_create": may(request.actor, "create", KnowledgeBase),
    }
    return render(request, "knowledge/bases.html", context, partial="knowledge/_bases.html")


@require_http_methods(["GET", "POST"])
def base_new(request: SpaceRequest) -> HttpResponseBase:
    """Make a base."""
    require(request.actor, "create", KnowledgeBase)
    form = BaseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            base = create_base(
                request.actor,
                name=data["name"],
                description=data["description"],
                settings=form.settings(BaseSettings()),
            )
        except ProjectError as refusal:
            form.add_error("name", refusal.message)
        else:
            return redirect("base", base.pk)
    context = {"form": form, "base": None, "may_delete": False}
    return render(request, "knowledge/base_form.html", context, status=_form_status(form))


@require_GET
def base(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show a base's documents; its table alone for filters and polling."""
    found = get_base(request.actor, base_id)
    search = request.GET.get("q", "").strip()[:200]
    state = request.GET.get("state", "")
    documents = list_documents(request.actor, found.pk, search=search, state=state)
    page = Paginator(documents, DOCUMENTS_A_PAGE).get_page(request.GET.get("page"))
    may_change = may(request.actor, "change", found)
    rows = [row_of(document, may_change=may_change) for document in page]
    context = {
        **_head(request, found, may_change=may_change),
        "rows": rows,
        "page_obj": page,
        "is_busy": any(row.is_busy for row in rows),
        "search": search,
        "state": state,
        "states": [each for each in DocumentState.choices if each[0] != DocumentState.DELETING],
        **upload_facts(),
    }
    return render(request, "knowledge/base.html", context, partial="knowledge/_documents.html")


@require_http_methods(["GET", "POST"])
def base_settings(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Change a base."""
    found = get_base(request.actor, base_id)
    require(request.actor, "change", found)
    before = base_settings_of(found)
    form = BaseForm(
        request.POST if request.method == "POST" else None, initial=_initial(found, before)
    )
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            update_base(
                request.actor,
                base_id=found.pk,
                name=data["name"],
                description=data["description"],
                settings=form.settings(before),
            )
        except ProjectError as refusal:
            form.add_error("name", refusal.message)
        else:
            return redirect("base", found.pk)
    context = {
        **_head(request, found, may_change=True),
        "form": form,
        "may_delete": may(request.actor, "delete", found),
    }
    return render(request, "knowledge/base_form.html", context, status=_form_status(form))


@require_POST
def base_delete(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Delete a base."""
    delete_base(request.actor, base_id=base_id)
    return redirect("bases")


@require_GET
def base_search(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show what a question finds in a base, and why."""
    found = get_base(request.actor, base_id)
    form = SearchForm(request.GET if "question" in request.GET else None)
    result: dict[str, Any] | None = None
    if form.is_bound:
        result = _search(request, found, form) if form.is_valid() else _unasked(form)
    context = {
        **_head(request, found, may_change=may(request.actor, "change", found)),
        "form": form,
        "result": result,
    }
    return render(request, "knowledge/search.html", context, partial="knowledge/_results.html")


def _search(request: SpaceRequest, found: KnowledgeBase, form: SearchForm) -> dict[str, Any]:
    data = form.cleaned_data
    wished = RetrievalSettings(limit=data["limit"], rerank=data["rerank"] or None)
    try:
        retrieval = retrieve(
            request.actor,
            query=data["question"],
            scope=Scope(base_ids=(found.pk,)),
            settings=wished,
        )
    except Invalid as refusal:
        return {"summary": "", "counts": [], "hits": [], "dropped": [], "nothing": refusal.message}
    chunks = get_chunks(request.actor, dropped_ids(retrieval))
    return result_of(retrieval, {chunk.pk: chunk for chunk in chunks})


def _unasked(form: SearchForm) -> dict[str, Any]:
    """Return what the results say when the form cannot be used; the fragment has no form."""
    problems = [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
    return {"summary": "", "counts": [], "hits": [], "dropped": [], "nothing": " ".join(problems)}


def _head(request: SpaceRequest, found: KnowledgeBase, *, may_change: bool) -> dict[str, Any]:
    """Return what the head of every page of a base shows."""
    counts = base_counts(request.actor, found.pk)
    return {
        "base": found,
        "facts": base_facts(found, documents=counts.documents, passages=counts.passages),
        "document_count": counts.documents,
        "may_change": may_change,
    }


def _card(found: KnowledgeBase) -> dict[str, Any]:
    return {
        "id": found.pk,
        "name": found.name,
        "description": found.description,
        "document_count": getattr(found, "document_total", 0),
        "open_count": getattr(found, "open_total", 0),
        "bad_count": getattr(found, "bad_total", 0),
        "owner": str(found.created_by) if found.created_by else "",
        "changed_at": found.updated_at,
    }


def _initial(found: KnowledgeBase, settings: BaseSettings) -> dict[str, Any]:
    return {
        "name": found.name,
        "description": found.description,
        "size_characters": settings.split.size_characters,
        "limit": settings.retrieval.limit,
        "rerank": settings.retrieval.rerank,
    }


def _form_status(form: BaseForm) -> int:
    return 422 if form.is_bound and not form.is_valid() else 200
