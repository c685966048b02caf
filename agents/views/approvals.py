"""Pages of approvals: the desk, one request, decisions, and who decides in the space."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from agents.approvals.cards import Place, card_of
from agents.approvals.decide import decide, decide_alike
from agents.approvals.forms import ArgumentsForm, BatchForm, SettingsForm
from agents.approvals.queries import count_waiting, get_approval
from agents.approvals.spaces import change_space_rules, space_rules
from agents.live.presentation import step_id
from agents.models import Approval, ApprovalSettings
from agents.pages.approvals import desk_context
from core.errors import ProjectError
from core.htmx import announce, render, wants_fragment


@require_GET
def approvals(request: SpaceRequest) -> HttpResponse:
    """Show what waits for the person, for others, and what was decided."""
    context = desk_context(
        request.actor,
        wanted_tab=request.GET.get("tab", ""),
        page=request.GET.get("page", ""),
    )
    return render(request, "approvals/page.html", context)


@require_GET
def approval(request: SpaceRequest, approval_id: UUID) -> HttpResponse:
    """Show one request."""
    row = get_approval(request.actor, approval_id)
    context = {"card": card_of(row, actor=request.actor, place="desk")}
    return render(request, "approvals/one.html", context)


@require_GET
def approvals_count(request: SpaceRequest) -> HttpResponse:
    """Show how many requests wait for the person, for the navigation."""
    return render(request, "approvals/_count.html", {"count": count_waiting(request.actor)})


@require_POST
def approval_decide(request: SpaceRequest, approval_id: UUID) -> HttpResponseBase:
    """Decide about one call; the answer is its card, decided or with what is wrong."""
    row = get_approval(request.actor, approval_id)
    resolution = request.POST.get("resolution", "")
    form = ArgumentsForm(row, data=request.POST) if resolution == "edited" else None
    if form is not None and not form.is_valid():
        return _answer(request, row, form=form, status=422)
    arguments = form.arguments() if form is not None else None
    try:
        decide(
            request.actor,
            approval_id=approval_id,
            decision_hash=request.POST.get("decision_hash", ""),
            resolution="approved" if arguments == row.arguments else resolution,
            arguments=None if arguments == row.arguments else arguments,
            comment=request.POST.get("comment", ""),
        )
    except ProjectError as refusal:
        return _answer(request, row, form=form, problem=refusal.message, status=422)
    return _answer(request, row)


@require_POST
def approval_batch(request: SpaceRequest) -> HttpResponseBase:
    """Decide alike about several calls of one tool."""
    form = BatchForm(request.POST)
    hashes = form.hashes() if form.is_valid() else []
    outcome = decide_alike(
        request.actor,
        hashes=hashes,
        resolution=request.GET.get("resolution") or request.POST.get("resolution", ""),
        comment=request.POST.get("comment", "")[:2000],
    )
    number = len(outcome.decided)
    if number:
        text = ngettext("%(n)s call decided.", "%(n)s calls decided.", number) % {"n": number}
        messages.success(request, text)
    for problem in outcome.problems:
        messages.error(request, problem)
    return redirect("approvals")


@require_http_methods(["GET", "POST"])
def approval_settings(request: SpaceRequest) -> HttpResponseBase:
    """Show who decides in the space; administrators change it."""
    may_change = may(request.actor, "create", ApprovalSettings)
    if request.method == "POST":
        require(request.actor, "create", ApprovalSettings)
    form = SettingsForm(
        request.POST if request.method == "POST" else None,
        rules=space_rules(),
        space_id=request.actor.space_id,
        is_disabled=not may_change,
    )
    if form.is_bound and form.is_valid():
        change_space_rules(
            request.actor,
            deciders=form.cleaned_data["deciders"],
            named_ids=[user.pk for user in form.cleaned_data["named_people"]],
            timeout_seconds=form.cleaned_data["timeout_seconds"],
            ask_for_high_risk=form.cleaned_data["ask_for_high_risk"],
        )
        messages.success(request, _("Changes saved."))
        return redirect("approval_settings")
    context = {"form": form, "may_change": may_change}
    status = 422 if form.is_bound else 200
    return render(request, "approvals/settings.html", context, status=status)


def _answer(
    request: SpaceRequest,
    before: Approval,
    *,
    form: ArgumentsForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponseBase:
    """Return the card as it is now: for htmx alone, else on a page or where the person came from."""
    row = get_approval(request.actor, before.pk)
    place: Place = "chat" if request.POST.get("place") == "chat" else "desk"
    card = card_of(
        row,
        actor=request.actor,
        place=place,
        form=form,
        problem=problem,
        typed_comment=request.POST.get("comment", "") if status != 200 else "",
    )
    if wants_fragment(request):
        context: dict[str, Any] = {"card": card, "is_open": True}
        template = "approvals/_entry.html"
        if place == "chat":
            key = f"approval-{row.requested_seq}"
            context = {"step": {"id": step_id(str(row.run_id), key), "card": card}}
            template = "approvals/_step.html"
        html = render_to_string(template, context, request)
        return announce(HttpResponse(html, status=status), "approvals")
    if status != 200:
        return render(request, "approvals/one.html", {"card": card}, status=status)
    if place == "chat" and card.conversation_url:
        return redirect(card.conversation_url)
    return redirect("approvals")
