"""Pages of spaces: the list, switching, leaving, settings."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.forms import SpaceForm, add_refusal, posted
from accounts.middleware import PersonRequest, SpaceRequest
from accounts.queries import spaces_of
from accounts.services.audit_retention import default_audit_days
from accounts.services.inbox import waiting_for
from accounts.services.members import leave_space
from accounts.services.quota import storage_of
from accounts.services.space_deletion import delete_space, deletions_of
from accounts.services.spaces import (
    allow_opening,
    change_rules,
    create_space,
    rename_space,
    switch_space,
)
from accounts.space_forms import DeleteSpaceForm, RulesForm
from core.errors import Invalid, LimitReached, Refused
from core.htmx import redirect, render


@require_http_methods(["GET", "POST"])
def list_spaces(request: PersonRequest) -> HttpResponseBase:
    """Show the person's spaces, or how to get one; make a new one."""
    form = SpaceForm(posted(request))
    if form.is_valid():
        try:
            space = create_space(request.user, **form.cleaned_data)
        except (Invalid, LimitReached) as refusal:
            add_refusal(form, refusal)
        else:
            switch_space(request.user, space_id=space.pk, session=request.session)
            messages.success(request, _("You are now in %(space)s.") % {"space": space.name})
            return redirect(request, get_script_prefix())
    return _show_spaces(request, form)


@require_POST
def enter_space(request: PersonRequest, space_id: int) -> HttpResponseBase:
    """Go on in another space; its start page, since what was open belongs to the old one."""
    membership = switch_space(request.user, space_id=space_id, session=request.session)
    messages.info(request, _("You are now in %(space)s.") % {"space": membership.space.name})
    return redirect(request, get_script_prefix())


@require_POST
def quit_space(request: PersonRequest, space_id: int) -> HttpResponseBase:
    """End the person's own membership."""
    space = leave_space(request.user, space_id=space_id)
    messages.success(request, _("You left %(space)s.") % {"space": space.name})
    return redirect(request, reverse("spaces"))


@require_http_methods(["GET", "POST"])
def edit_space(request: SpaceRequest) -> HttpResponseBase:
    """Show and change the name of the current space."""
    space = request.membership.space
    may_change = may(request.actor, "change", space)
    known = {"name": space.name, "description": space.description}
    form = SpaceForm(posted(request), initial=known)
    if request.method == "POST" and (form.is_valid() or not may_change):
        try:
            rename_space(
                request.actor,
                name=form.cleaned_data.get("name", ""),
                description=form.cleaned_data.get("description", ""),
            )
        except Invalid as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Changes saved."))
            return redirect(request, request.path)
    if not may_change:
        for field in form.fields.values():
            field.disabled = True
    return _show_space(request, form)


@require_POST
def set_rules(request: SpaceRequest) -> HttpResponseBase:
    """Change how people join, for how long the audit is kept, how mails read."""
    rules = RulesForm(request.POST)
    space = request.membership.space
    if "audit_days" in request.POST:
        # Refused rather than left out: nobody shall believe that it was saved.
        require(request.actor, "share", space)
    if rules.is_valid() or not may(request.actor, "change", space):
        values = rules.cleaned_data
        days = values.get("audit_days") if may(request.actor, "share", space) else space.audit_days
        change_rules(
            request.actor,
            auto_accept=values.get("auto_accept", False),
            audit_days=days,
            language=values.get("language", ""),
        )
        messages.success(request, _("Changes saved."))
        return redirect(request, reverse("space_settings"))
    known = {"name": space.name, "description": space.description}
    return _show_space(request, SpaceForm(initial=known), rules=rules)


@require_http_methods(["GET", "POST"])
def end_space(request: SpaceRequest) -> HttpResponseBase:
    """Ask for the space's name, then close and delete it."""
    space = request.membership.space
    require(request.actor, "delete", space)
    form = DeleteSpaceForm(posted(request))
    if form.is_valid():
        try:
            delete_space(request.actor, typed_name=form.cleaned_data["typed_name"])
        except (Invalid, Refused) as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The space is closed and is being deleted."))
            return redirect(request, reverse("spaces"))
    context = {"form": form, "storage": storage_of(space), "tab": "settings"}
    status = 422 if form.errors else 200
    return render(request, "accounts/space_delete.html", context, status=status)


@never_cache
@require_GET
def list_deletions(request: PersonRequest) -> HttpResponse:
    """Show how the deletion of the person's spaces goes; the page asks again while one runs."""
    return render(request, "accounts/_space_deletions.html", _deletions(request))


def _show_space(
    request: SpaceRequest, form: SpaceForm, *, rules: RulesForm | None = None
) -> HttpResponse:
    space = request.membership.space
    may_change = may(request.actor, "change", space)
    may_set_opening = may(request.actor, "share", space)
    if rules is None:
        rules = RulesForm(
            initial={
                "auto_accept": space.auto_accept_invitations,
                "language": space.language,
                "audit_days": space.audit_days,
            }
        )
    if not may_set_opening:
        del rules.fields["audit_days"]
    failed = bool(form.errors or (rules.is_bound and rules.errors))
    context = {
        "form": form,
        "rules": rules if may_change else None,
        "may_change": may_change,
        "may_set_opening": may_set_opening,
        "may_delete": may(request.actor, "delete", space),
        "storage": storage_of(space),
        "default_audit_days": default_audit_days(),
        "tab": "settings",
    }
    return render(request, "accounts/space.html", context, status=422 if failed else 200)


def _deletions(request: PersonRequest) -> dict[str, object]:
    deletions = deletions_of(request.user)
    return {"deletions": deletions, "is_busy": any(one.state == "running" for one in deletions)}


@require_POST
def set_opening(request: SpaceRequest) -> HttpResponseBase:
    """Say whether owners may open others' conversations."""
    allow_opening(request.actor, allowed=request.POST.get("allowed") == "on")
    messages.success(request, _("Changes saved."))
    return redirect(request, reverse("space_settings"))


def _show_spaces(request: PersonRequest, form: SpaceForm) -> HttpResponse:
    current = request.membership.space_id if request.membership else None
    rows = spaces_of(request.user, current_space_id=current)
    waiting = list(waiting_for(request.user))
    context = {"rows": rows, "form": form, "waiting": waiting, **_deletions(request)}
    return render(request, "accounts/spaces.html", context, status=422 if form.errors else 200)
