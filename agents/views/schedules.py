"""Pages of schedules: the list, the form, and what can be done with one."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import posted
from accounts.middleware import SpaceRequest
from agents.models import AgentSchedule
from agents.pages.schedule_forms import ScheduleForm
from agents.pages.schedules import next_times_of, schedule_lines
from agents.schedules.services import (
    change_schedule,
    create_schedule,
    delete_schedule,
    get_schedule,
    run_schedule,
    set_enabled,
)
from core.errors import ProjectError
from core.htmx import render


@require_GET
def schedules(request: SpaceRequest) -> HttpResponse:
    """List the person's schedules."""
    return render(request, "schedules/schedules.html", {"lines": schedule_lines(request.actor)})


@require_http_methods(["GET", "POST"])
def schedule_new(request: SpaceRequest) -> HttpResponseBase:
    """Make a schedule."""
    form = ScheduleForm(posted(request), actor=request.actor)
    if form.is_bound and form.is_valid():
        try:
            create_schedule(request.actor, form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("schedules")
    return _form_page(request, form, None)


@require_http_methods(["GET", "POST"])
def schedule(request: SpaceRequest, schedule_id: UUID) -> HttpResponseBase:
    """Change a schedule."""
    found = get_schedule(request.actor, schedule_id)
    form = ScheduleForm(posted(request), actor=request.actor, schedule=found)
    if form.is_bound and form.is_valid():
        try:
            change_schedule(request.actor, schedule_id=found.pk, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("schedules")
    return _form_page(request, form, found)


@require_POST
def schedule_preview(request: SpaceRequest) -> HttpResponse:
    """Show the next three times of what is entered."""
    form = ScheduleForm(request.POST, actor=request.actor)
    form.full_clean()
    found = next_times_of(form.times().as_cron(), form.cleaned_data.get("timezone", "").strip())
    return render(request, "schedules/_times.html", {"next": found})


@require_POST
def schedule_run(request: SpaceRequest, schedule_id: UUID) -> HttpResponseBase:
    """Ask a schedule's question now and lead to the answer."""
    run = run_schedule(request.actor, schedule_id=schedule_id)
    return redirect("conversation", run.conversation_id)


@require_POST
def schedule_switch(request: SpaceRequest, schedule_id: UUID) -> HttpResponseBase:
    """Pause a schedule, or let it go on."""
    is_enabled = request.POST.get("enabled") == "on"
    set_enabled(request.actor, schedule_id=schedule_id, is_enabled=is_enabled)
    messages.success(
        request, _("The schedule was resumed.") if is_enabled else _("The schedule was paused.")
    )
    return redirect("schedules")


@require_POST
def schedule_delete(request: SpaceRequest, schedule_id: UUID) -> HttpResponseBase:
    """Delete a schedule; its reports stay."""
    delete_schedule(request.actor, schedule_id=schedule_id)
    return redirect("schedules")


def _form_page(
    request: SpaceRequest, form: ScheduleForm, found: AgentSchedule | None
) -> HttpResponse:
    shown = next_times_of(found.cron, found.timezone) if found and not form.is_bound else None
    if shown is None and form.is_bound:
        zone = form.cleaned_data.get("timezone", "UTC")
        shown = next_times_of(form.times().as_cron(), zone)
    context = {"form": form, "schedule": found, "next": shown}
    status = 422 if form.is_bound else 200
    return render(request, "schedules/schedule.html", context, status=status)


def _refuse(form: ScheduleForm, refusal: ProjectError) -> None:
    field = str(refusal.data.get("field", ""))
    form.add_error(field if field in form.fields else None, refusal.message)
