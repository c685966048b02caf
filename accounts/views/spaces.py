"""Pages of spaces: the list, switching, leaving, settings."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import may
from accounts.forms import SpaceForm, add_refusal, posted
from accounts.middleware import PersonRequest, SpaceRequest
from accounts.queries import spaces_of
from accounts.services.members import leave_space
from accounts.services.spaces import create_space, rename_space, switch_space
from core.errors import Invalid, LimitReached
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
            messages.success(request, _("Saved."))
            return redirect(request, request.path)
    if not may_change:
        for field in form.fields.values():
            field.disabled = True
    context = {"form": form, "may_change": may_change, "tab": "settings"}
    return render(request, "accounts/space.html", context, status=422 if form.errors else 200)


def _show_spaces(request: PersonRequest, form: SpaceForm) -> HttpResponse:
    current = request.membership.space_id if request.membership else None
    rows = spaces_of(request.user, current_space_id=current)
    context = {"rows": rows, "form": form}
    return render(request, "accounts/spaces.html", context, status=422 if form.errors else 200)
