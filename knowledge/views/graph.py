"""Pages of the graph of a base: the picture and the list, one entity, trying out, having it read."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import Actor, require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render, wants_fragment
from knowledge.constants import BaseKind
from knowledge.graph.queries import entity_detail
from knowledge.graph.services import (
    PREVIEW_CHARACTERS,
    build_graph,
    clear_graph,
    preview_graph,
    stop_graph,
)
from knowledge.models import KnowledgeBase
from knowledge.pages.graph import (
    entity_context,
    failures,
    graph_context,
    preview_rows,
    state_context,
)
from knowledge.pages.heads import head_of
from knowledge.queries import get_base

_ACTIONS = {
    "build": (build_graph, gettext_lazy("The graph is being read.")),
    "stop": (stop_graph, gettext_lazy("Stopped. What was read stays.")),
    "clear": (clear_graph, gettext_lazy("The graph is empty.")),
}


class TextToRead(forms.Form):
    """The text out of which something is read."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=PREVIEW_CHARACTERS,
        help_text=gettext_lazy("Up to 5,000 characters."),
        widget=forms.Textarea({"rows": 10}),
    )


@require_GET
def base_graph(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show a base's graph; its picture and list alone for filters, its state alone for polling."""
    base = _document_base(request.actor, base_id)
    head = head_of(request.actor, base)
    if wants_fragment(request) and request.GET.get("part") == "state":
        state = state_context(request.actor, base, may_change=head["may_change"])
        return render(request, "knowledge/_graph_state.html", {**head, **state})
    asked = request.GET
    context = {
        **head,
        **graph_context(
            request.actor,
            base,
            kind=asked.get("kind", "")[:100],
            text=asked.get("q", "")[:200],
            page=asked.get("page", ""),
        ),
    }
    if not wants_fragment(request):
        context |= state_context(request.actor, base, may_change=head["may_change"])
        context["failures"] = failures(request.actor, base) if head["may_edit"] else []
    return render(request, "knowledge/graph.html", context, partial="knowledge/_graph.html")


@require_GET
def base_graph_entity(request: SpaceRequest, base_id: UUID, entity_id: UUID) -> HttpResponseBase:
    """Show one entity with its relations and the passages that name it."""
    base = _document_base(request.actor, base_id)
    detail = entity_detail(request.actor, base, entity_id)
    context = {
        **head_of(request.actor, base),
        **entity_context(base, detail, page=request.GET.get("page", "")),
    }
    return render(
        request, "knowledge/graph_entity.html", context, partial="knowledge/_graph_entity.html"
    )


@require_POST
def base_graph_read(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Have the graph of a base read, stop that, or empty it."""
    base = _document_base(request.actor, base_id)
    require(request.actor, "change", base)
    chosen = _ACTIONS.get(request.POST.get("action", ""))
    if chosen is None:
        raise Invalid(_("Choose what is to be done with the graph."))
    service, done = chosen
    try:
        service(request.actor, base_id=base.pk)
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    return redirect("base_graph", base.pk)


@require_http_methods(["GET", "POST"])
def base_graph_preview(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Try out what is read out of a text."""
    base = _document_base(request.actor, base_id)
    require(request.actor, "change", base)
    form = TextToRead(request.POST if request.method == "POST" else None)
    context = {**head_of(request.actor, base), "form": form, "result": None, "problem": ""}
    if form.is_bound and form.is_valid():
        limit_actor(request.actor, "ask")
        try:
            found = preview_graph(request.actor, base_id=base.pk, text=form.cleaned_data["text"])
            context["result"] = preview_rows(found)
        except ProjectError as refusal:
            context["problem"] = refusal.message
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "knowledge/graph_preview.html", context, status=status)


def _document_base(actor: Actor, base_id: UUID) -> KnowledgeBase:
    base = get_base(actor, base_id)
    if base.kind == BaseKind.FAQ:
        raise Invalid(_("This knowledge base holds questions and answers; it has no graph."))
    return base
