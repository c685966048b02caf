"""Pages of evaluations: the list, one, two side by side with the gate's decision."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render, wants_fragment
from knowledge.evaluation.compare import compare_runs
from knowledge.evaluation.gate import confirm_gate, discard_gate, is_ready
from knowledge.evaluation.queries import (
    DRAFTING,
    get_run,
    has_confirmed,
    list_runs,
    results_of,
)
from knowledge.evaluation.runs import (
    DEFAULT_K,
    MOST_K,
    Plan,
    continue_run,
    delete_run,
    start_run,
    stop_run,
)
from knowledge.models import EvaluationRun
from knowledge.pages.evaluations import (
    chart_of,
    comparison_context,
    figures_of,
    result_rows,
    run_row,
    start_choices,
)
from knowledge.pages.heads import head_of
from knowledge.pages.quality import drafting_of
from knowledge.queries import get_base

RUNS_A_PAGE = 25


@require_http_methods(["GET", "POST"])
def base_evaluations(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """List the evaluations of a base with their trend, and start one."""
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    if request.method == "POST":
        try:
            run = start_run(request.actor, base_id=base.pk, plan=_plan(request))
        except ProjectError as refusal:
            messages.error(request, refusal.message)
            return redirect("base_evaluations", base.pk)
        return redirect("evaluation", run.base_id, run.pk)
    rows = list_runs(request.actor, base.pk)
    page = Paginator(rows, RUNS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **head_of(request.actor, base),
        "rows": [run_row(run) for run in page],
        "page_obj": page,
        "is_busy": any(run.ended_at is None for run in page),
        "chart": chart_of(list(rows[:RUNS_A_PAGE])),
        "choices": start_choices(request.actor, base),
        "default_k": DEFAULT_K,
        "most_k": MOST_K,
        "may_start": has_confirmed(base.pk),
    }
    return render(
        request, "knowledge/quality_runs.html", context, partial="knowledge/_quality_runs.html"
    )


@require_http_methods(["GET", "POST"])
def evaluation(request: SpaceRequest, base_id: UUID, evaluation_id: UUID) -> HttpResponseBase:
    """Show an evaluation, its questions worst first; stop it, go on with it, delete it."""
    run = get_run(request.actor, evaluation_id, base_id=base_id)
    if request.method == "POST":
        asked = request.POST.get("action", "")
        if asked == "stop":
            stop_run(request.actor, run_id=run.pk)
        elif asked == "continue":
            continue_run(request.actor, run_id=run.pk)
        elif asked == "delete":
            delete_run(request.actor, run_id=run.pk)
            return redirect("base_evaluations", run.base_id)
        else:
            raise Invalid(_("What is to be done with the evaluation? Say stop or delete."))
        return redirect("evaluation", run.base_id, run.pk)
    if run.kind == DRAFTING:
        return _drafting(request, run)
    others = list_runs(request.actor, run.base_id).exclude(pk=run.pk)[:RUNS_A_PAGE]
    context = {
        **head_of(request.actor, run.base),
        "run": run_row(run),
        "figures": figures_of(run),
        "results": result_rows(run, results_of(request.actor, run)),
        "others": [run_row(each) for each in others],
        "is_own": run.author_id == request.actor.user_id,
    }
    return render(
        request, "knowledge/quality_run.html", context, partial="knowledge/_quality_run.html"
    )


@require_http_methods(["GET", "POST"])
def evaluation_compare(
    request: SpaceRequest, base_id: UUID, before_id: UUID, after_id: UUID
) -> HttpResponseBase:
    """Show two evaluations side by side; where one is a proposal, confirm or discard it."""
    get_run(request.actor, after_id, base_id=base_id)
    found = compare_runs(request.actor, before_id=before_id, after_id=after_id)
    run = found.after
    problem = ""
    if request.method == "POST":
        try:
            return _decide(request, after_id)
        except Invalid as refusal:
            problem = refusal.message
    is_gate = bool(run.proposed) and run.baseline_id == found.before.pk
    context = {
        **head_of(request.actor, run.base),
        **comparison_context(found),
        "is_gate": is_gate and may(request.actor, "change", run.base),
        "is_ready": is_ready(run),
        "problem": problem,
    }
    return render(
        request,
        "knowledge/quality_compare.html",
        context,
        partial="knowledge/_quality_compare.html",
        status=422 if problem else 200,
    )


def _drafting(request: SpaceRequest, run: EvaluationRun) -> HttpResponseBase:
    """Show how far drafting is; the page of questions is loaded again when it is over."""
    if not wants_fragment(request):
        return redirect("base_quality", run.base_id)
    context = {"drafting": drafting_of(run), "base": run.base}
    response = render(request, "knowledge/_quality_drafting.html", context)
    if run.ended_at is not None:
        response["HX-Refresh"] = "true"
    return response


def _decide(request: SpaceRequest, run_id: UUID) -> HttpResponseBase:
    asked = request.POST.get("action", "")
    if asked == "confirm":
        reason = request.POST.get("reason", "")
        base = confirm_gate(request.actor, run_id=run_id, reason=reason)
        messages.success(request, _("The settings were changed."))
        return redirect("base_settings", base.pk)
    if asked == "discard":
        run = discard_gate(request.actor, run_id=run_id)
        messages.success(request, _("Nothing was changed."))
        return redirect("base_settings", run.base_id)
    raise Invalid(_("Confirm the proposed settings, or discard them."))


def _plan(request: SpaceRequest) -> Plan:
    kind, _colon, subject = request.POST.get("what", "retrieval").partition(":")
    k = request.POST.get("k", "")
    try:
        subject_id = UUID(subject) if subject else None
    except ValueError as error:
        raise Invalid(_("Choose who is to be asked.")) from error
    return Plan(
        kind=kind,
        subject_id=subject_id,
        label=request.POST.get("label", ""),
        k=int(k) if k.isdecimal() and len(k) < 4 else DEFAULT_K,
    )
