"""Pages of usage: what was spent, budgets, and the conversations that an owner may open."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.forms import posted
from accounts.middleware import SpaceRequest
from accounts.models import Membership
from agents.models import Budget
from agents.pages.usage import budget_lines, usage_context
from agents.pages.usage_forms import BudgetForm, LimitsForm
from agents.services.openings import openable_conversations
from agents.spending.budgets import change_budget, create_budget, delete_budget
from agents.spending.export import usage_csv
from agents.spending.prices import space_currency
from agents.spending.report import LONGEST_DAYS, span_of, usage_rows
from core.errors import NotFound, ProjectError
from core.htmx import render

PERIODS = (7, 30, 90)
CONVERSATIONS_A_PAGE = 50


@require_http_methods(["GET", "POST"])
def usage(request: SpaceRequest) -> HttpResponseBase:
    """Show what was spent; an admin's POST sets a budget."""
    sets_budgets = may(request.actor, "create", Budget)
    form = BudgetForm(posted(request), actor=request.actor) if sets_budgets else None
    if request.method == "POST":
        require(request.actor, "create", Budget)
        if form is not None and form.is_valid() and _create(request, form):
            return redirect("usage")
    days = _days(request)
    context = {
        **usage_context(request.actor, span_of(days)),
        "days_shown": days,
        "periods": PERIODS,
        "budgets": budget_lines() if sets_budgets else [],
        "form": form,
    }
    return render(
        request, "usage/usage.html", context, status=422 if request.method == "POST" else 200
    )


@require_GET
def usage_export(request: SpaceRequest) -> HttpResponse:
    """Return the metered calls as CSV: all for admins, their own for others."""
    days = _days(request)
    rows = usage_rows(request.actor, span_of(days))
    # Read here: the space is closed again when the answer is sent.
    body = "".join(usage_csv(rows, currency=space_currency()))
    response = HttpResponse(body, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="usage-{days}-days.csv"'
    return response


@require_POST
def budget_change(request: SpaceRequest, budget_id: UUID) -> HttpResponseBase:
    """Change a budget's limits."""
    form = LimitsForm(request.POST)
    if form.is_valid():
        change_budget(request.actor, budget_id=budget_id, **form.cleaned_data)
        messages.success(request, _("Changes saved."))
    else:
        messages.error(request, next(str(errors[0]) for errors in form.errors.values()))
    return redirect("usage")


@require_POST
def budget_delete(request: SpaceRequest, budget_id: UUID) -> HttpResponseBase:
    """Delete a budget."""
    delete_budget(request.actor, budget_id=budget_id)
    return redirect("usage")


@require_GET
def usage_person(request: SpaceRequest, user_id: int) -> HttpResponse:
    """List a member's conversations for an owner, where the space lets owners open them."""
    space = request.membership.space
    require(request.actor, "share", space)
    members = Membership.objects.filter(space=space, user_id=user_id).select_related("user")
    member = members.first()
    if member is None:
        raise NotFound(_("There is no such member."))
    rows = openable_conversations(request.actor, user_id=user_id)
    page = Paginator(rows, CONVERSATIONS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "person": str(member.user),
        "is_allowed": space.owners_may_open_conversations,
        "page_obj": page,
    }
    return render(request, "usage/person.html", context)


def _days(request: SpaceRequest) -> int:
    asked = request.GET.get("days", "")
    if not asked.isascii() or not asked.isdigit() or not asked.strip("0"):
        return 30
    # Python refuses to read numbers of thousands of digits.
    return min(int(asked) if len(asked) < 10 else LONGEST_DAYS, LONGEST_DAYS)


def _create(request: SpaceRequest, form: BudgetForm) -> bool:
    try:
        create_budget(request.actor, form.values())
    except ProjectError as refusal:
        field = str(refusal.data.get("field", ""))
        form.add_error(field if field in form.fields else None, refusal.message)
        return False
    messages.success(request, _("The budget is set."))
    return True
