"""Pages of knowledge bases."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from accounts.organisations.received import received
from core.errors import ProjectError
from core.htmx import render, wants_fragment
from knowledge.access.queries import restricted_ids
from knowledge.base_settings import BaseSettings, base_settings_of
from knowledge.constants import BaseKind, MarkKind
from knowledge.evaluation.gate import Proposal, open_gate
from knowledge.evaluation.guard import is_gated
from knowledge.forms import BaseForm, SettingsForm
from knowledge.models import KnowledgeBase
from knowledge.organising.filters import filtered
from knowledge.organising.marks import marks_of
from knowledge.organising.trash import list_trash
from knowledge.organising.tree import folder_tree
from knowledge.pages.bases import card_of, rank, shows
from knowledge.pages.carry import other_bases
from knowledge.pages.filters import filter_context, filter_in
from knowledge.pages.heads import head_of
from knowledge.pages.labels import upload_facts
from knowledge.pages.rows import row_of
from knowledge.pages.undo import take_carry_back, take_undo
from knowledge.queries import (
    get_base,
    list_bases,
    list_documents,
)
from knowledge.services.bases import create_base, delete_base, update_base

DOCUMENTS_A_PAGE = 50


@require_GET
def bases(request: SpaceRequest) -> HttpResponse:
    """List the bases, those kept at hand first; or those with a part of the name."""
    search = request.GET.get("q", "").strip()[:200]
    show = request.GET.get("show", "")
    rows = list_bases(request.actor)
    if search:
        rows = rows.filter(name__icontains=search)
    if show in BaseKind.values:
        rows = rows.filter(kind=show)
    marks = marks_of(request.actor)
    if show in MarkKind.values:
        rows = rows.filter(pk__in=[each for each, kinds in marks.items() if show in kinds])
    if show == "mine":
        rows = rows.filter(created_by_id=request.actor.user_id)
    context = {
        "cards": sorted(
            (card_of(base, marks.get(base.pk, frozenset())) for base in rows), key=rank
        ),
        "search": search,
        "show": show,
        "shows": shows(),
        "may_create": may(request.actor, "create", KnowledgeBase),
        "received": [] if search or show else received(request.actor, kind="base"),
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
                kind=data["kind"],
            )
        except ProjectError as refusal:
            form.add_error("name", refusal.message)
        else:
            return redirect("base", base.pk)
    context = {"form": form, "parts": [], "base": None, "may_delete": False}
    return render(request, "knowledge/base_form.html", context, status=_form_status(form))


@require_GET
def base(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show a base's documents; its table alone for filters and polling."""
    found = get_base(request.actor, base_id)
    if found.kind == BaseKind.FAQ:
        return redirect("faq", found.pk)
    wanted = filter_in(request.GET)
    if wants_fragment(request) and request.GET.get("part") == "folders":
        return _folders(request, found, wanted.folder)
    documents = filtered(list_documents(request.actor, found.pk), wanted)
    page = Paginator(documents, DOCUMENTS_A_PAGE).get_page(request.GET.get("page"))
    head = head_of(request.actor, found)
    restricted = restricted_ids([document.pk for document in page])
    rows = [
        row_of(document, may_change=head["may_edit"], is_restricted=document.pk in restricted)
        for document in page
    ]
    context: dict[str, Any] = {
        **head,
        "rows": rows,
        "page_obj": page,
        "is_busy": any(row.is_busy for row in rows),
        "search": wanted.search,
        "state": wanted.state,
        "is_narrowed": wanted.narrows,
        "query": request.GET.urlencode(),
        "total": page.paginator.count,
    }
    if not wants_fragment(request):
        context |= {
            **filter_context(request.actor, found, wanted),
            **upload_facts(),
            "folders": folder_tree(request.actor, found),
            "folder": wanted.folder,
            "undo": take_undo(request, found.pk),
            "carried": take_carry_back(request, found.pk),
            "other_bases": other_bases(request.actor, found) if head["may_edit"] else [],
            "trash_total": list_trash(request.actor, found.pk).count() if head["may_edit"] else 0,
        }
    return render(request, "knowledge/base.html", context, partial="knowledge/_documents.html")


def _folders(request: SpaceRequest, base: KnowledgeBase, folder: str | None) -> HttpResponse:
    """Show the folders alone: an upload brings new ones."""
    context = {
        **head_of(request.actor, base),
        "folders": folder_tree(request.actor, base),
        "folder": folder,
    }
    return render(request, "knowledge/_folders.html", context)


@require_http_methods(["GET", "POST"])
def base_settings(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Change a base."""
    found = get_base(request.actor, base_id)
    require(request.actor, "change", found)
    posted = request.POST if request.method == "POST" else None
    initial = {"name": found.name, "description": found.description}
    form = BaseForm(posted, initial=initial)
    del form.fields["kind"]
    settings = base_settings_of(found)
    settings_form = SettingsForm(settings, posted, sections=_sections(found))
    if posted is not None and form.is_valid() and settings_form.is_valid():
        data = form.cleaned_data
        if is_gated(found, settings_form.settings):
            proposal = Proposal(
                name=data["name"],
                description=data["description"],
                settings=settings_form.settings,
            )
            return _through_the_gate(request, found, proposal)
        try:
            update_base(
                request.actor,
                base_id=found.pk,
                name=data["name"],
                description=data["description"],
                settings=settings_form.settings,
            )
        except ProjectError as refusal:
            form.add_error("name", refusal.message)
        else:
            messages.success(request, _("Saved."))
            return redirect("base_settings", found.pk)
    context = {
        **head_of(request.actor, found),
        "form": form,
        "settings_form": settings_form,
        "parts": settings_form.parts(),
        "may_delete": may(request.actor, "delete", found),
        "may_copy": may(request.actor, "create", KnowledgeBase),
    }
    return render(
        request, "knowledge/base_form.html", context, status=200 if posted is None else 422
    )


def _through_the_gate(
    request: SpaceRequest, base: KnowledgeBase, proposal: Proposal
) -> HttpResponseBase:
    """Try other settings of the search on the golden questions, and show what changes."""
    try:
        run = open_gate(request.actor, base_id=base.pk, proposal=proposal)
    except ProjectError as refusal:
        messages.error(request, refusal.message)
        return redirect("base_settings", base.pk)
    return redirect("evaluation_compare", base.pk, run.baseline_id, run.pk)


def _sections(base: KnowledgeBase) -> set[str]:
    """Return which settings say something about a base of this kind."""
    if base.kind == BaseKind.FAQ:
        return {"faq", "retrieval"}
    return set(BaseSettings.model_fields) - {"faq"}


@require_POST
def base_delete(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Delete a base."""
    delete_base(request.actor, base_id=base_id)
    return redirect("bases")


def _form_status(form: BaseForm) -> int:
    return 422 if form.is_bound and not form.is_valid() else 200
