"""Pages of the retrieval test: one or two settings on a question, and making them the base's own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid
from core.htmx import render, wants_fragment
from knowledge.base_settings import base_settings_of
from knowledge.constants import SearchDoor
from knowledge.models import KnowledgeBase
from knowledge.pages.compare import changed_words, compared, default_offer
from knowledge.pages.heads import head_of
from knowledge.pages.results import dropped_ids, nothing, result_of
from knowledge.pages.search_filter import search_filter_context, search_filter_in
from knowledge.queries import get_base, get_chunks
from knowledge.retrieval.hits import Retrieval
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.search_forms import SECOND, RetrievalTestForm
from knowledge.searches.record import record_search
from knowledge.services.search_defaults import set_search_defaults


@require_GET
def base_search(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show what a question finds in a base, and why; with two settings side by side."""
    found = get_base(request.actor, base_id)
    options = base_settings_of(found).retrieval
    form = RetrievalTestForm(options, request.GET if "question" in request.GET else None)
    shown: dict[str, Any] = {"result": None}
    if form.is_bound:
        limit_actor(request.actor, "search")
        shown = _results(request, found, form) if form.is_valid() else {"result": _unasked(form)}
    context = {**head_of(request.actor, found), "form": form, **shown}
    if not wants_fragment(request):
        context["filters"] = search_filter_context(request.actor, found, request.GET)
    return render(request, "knowledge/search.html", context, partial="knowledge/_results.html")


@require_POST
def base_search_default(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Make settings the base's own, and say what they were."""
    values = {name: value or None for name, value in request.POST.items() if name != "next"}
    changed = set_search_defaults(request.actor, base_id=base_id, values=values)
    if changed:
        words = changed_words(changed)
        messages.success(
            request, _("Saved for all searches of the base: %(what)s") % {"what": words}
        )
    else:
        messages.info(request, _("The knowledge base is searched like this already."))
    following = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return redirect(following)
    return redirect("base_search", base_id)


def _results(
    request: SpaceRequest, found: KnowledgeBase, form: RetrievalTestForm
) -> dict[str, Any]:
    try:
        first = _search(request, found, form, "")
        second = _search(request, found, form, SECOND) if form.cleaned_data["compare"] else None
    except Invalid as refusal:
        return {"result": nothing(refusal.message)}
    question = first.query
    context: dict[str, Any] = {
        "question": question,
        "result": _shown(request, found, first),
    }
    context["result"]["offer"] = default_offer(request.actor, found, form.values(""))
    if second is not None:
        context["other"] = _shown(request, found, second)
        context["other"]["offer"] = default_offer(request.actor, found, form.values(SECOND))
        compared(context["result"], context["other"], first, second)
    return context


def _search(
    request: SpaceRequest, found: KnowledgeBase, form: RetrievalTestForm, prefix: str
) -> Retrieval:
    scope = Scope(base_ids=(found.pk,), filter=search_filter_in(request.GET))
    wished = form.wish(prefix)
    retrieval = retrieve(
        request.actor, query=form.cleaned_data["question"], scope=scope, settings=wished
    )
    record_search(
        request.actor, door=SearchDoor.PAGE, scope=scope, found=retrieval, settings=wished
    )
    return retrieval


def _shown(request: SpaceRequest, base: KnowledgeBase, found: Retrieval) -> dict[str, Any]:
    chunks = get_chunks(request.actor, dropped_ids(found))
    return result_of(found, {chunk.pk: chunk for chunk in chunks}, why_of=base.pk)


def _unasked(form: RetrievalTestForm) -> dict[str, Any]:
    """Return what the results say when the form cannot be used; the fragment has no form."""
    problems = [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
    return nothing(" ".join(problems))
