"""Pages of the embedding model of a base: choose another, how far it is, compare, switch."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, ProjectError
from core.htmx import render, wants_fragment
from knowledge.models import KnowledgeBase
from knowledge.pages.heads import head_of
from knowledge.pages.reembedding import change_view, choices_of, comparison_view, note_view
from knowledge.queries import get_base
from knowledge.reembedding import services
from knowledge.reembedding.compare import compare
from knowledge.reembedding.queries import open_change
from knowledge.reembedding.questions import asked_lately


@require_http_methods(["GET", "POST"])
def base_embedding(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show which model a base embeds with and a change of it; start, cancel, switch, finish."""
    base = get_base(request.actor, base_id)
    require(request.actor, "change", base)
    if request.method == "POST":
        return _act(request, base)
    change = open_change(base.pk)
    context = {
        "base": base,
        "change": change_view(change) if change else None,
        "asked": asked_lately(request.actor, base.pk) if change else [],
        "note": None if change else note_view(base),
        "choices": [] if change else choices_of(request.actor, base),
    }
    if not wants_fragment(request):
        context = {**head_of(request.actor, base), **context}
    return render(request, "knowledge/embedding.html", context, partial="knowledge/_embedding.html")


@require_GET
def base_embedding_compare(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show what a question finds with each of the two models."""
    base = get_base(request.actor, base_id)
    require(request.actor, "change", base)
    limit_actor(request.actor, "search")
    question = request.GET.get("question", "")
    context: dict[str, Any] = {"base": base, "comparison": None, "problem": ""}
    try:
        change = open_change(base.pk)
        if change is None:
            raise Conflict(_("There are no two models to compare; start a change first."))
        context["comparison"] = comparison_view(compare(request.actor, change, question))
    except (Conflict, Invalid) as refusal:
        context["problem"] = refusal.message
    return render(
        request,
        "knowledge/embedding_compare.html",
        context if wants_fragment(request) else {**head_of(request.actor, base), **context},
        partial="knowledge/_embedding_compare.html",
    )


def _act(request: SpaceRequest, base: KnowledgeBase) -> HttpResponseBase:
    try:
        messages.success(request, _do(request, base))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    return redirect("base_embedding", base.pk)


def _do(request: SpaceRequest, base: KnowledgeBase) -> str:
    """Carry out what was asked; return what to say."""
    actor, asked = request.actor, request.POST.get("action", "")
    if asked == "start":
        begun = services.start_change(actor, base_id=base.pk, model_id=_model_id(request))
        if begun is None:
            return _("The knowledge base has the other model now; nothing had to be embedded.")
        return _("The second index is being built. Questions find what they found before.")
    if asked == "cancel":
        services.cancel_change(actor, base_id=base.pk)
        return _("The change was canceled. Nothing that is found has changed.")
    if asked in ("cut_over", "undo"):
        switch = services.cut_over if asked == "cut_over" else services.undo
        if switch(actor, base_id=base.pk):
            return _("Switched: questions are compared by the other model from now on.")
        return _("Some passages are embedded first; then it is switched by itself.")
    if asked == "finish":
        services.finish(actor, base_id=base.pk)
        return _("Finished. The vectors of the model before are removed.")
    raise Invalid(
        _("What is to be done? Say start, cancel, cut_over, undo or finish; nothing was changed.")
    )


def _model_id(request: SpaceRequest) -> UUID:
    try:
        return UUID(request.POST.get("model", ""))
    except ValueError as error:
        raise Invalid(_("Choose the embedding model first.")) from error
