"""Pages of organisations: the list, one of them, joining, what is shared with us."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may
from accounts.forms import add_refusal, posted
from accounts.middleware import SpaceRequest
from accounts.models import JoinRequest, OrganisationSpace
from accounts.organisations.forms import (
    CodeForm,
    JoinForm,
    MessageForm,
    OrganisationForm,
    OrganisationSettingsForm,
    RoleForm,
)
from accounts.organisations.founding import (
    DEFAULT_CODE_DAYS,
    create_organisation,
    delete_organisation,
    renew_code,
    update_organisation,
)
from accounts.organisations.joining import (
    find_by_code,
    find_by_name,
    join_by_code,
    join_by_name,
)
from accounts.organisations.membership import leave
from accounts.organisations.pages import back_to
from accounts.organisations.places import get_place
from accounts.organisations.queries import list_organisations, organisation_page, own_requests
from accounts.organisations.received import received_all
from accounts.throttle import limit_by_address
from core.errors import Conflict, Gone, Invalid, LimitReached
from core.htmx import redirect, render

CODES_PER_MINUTE = 20
"""How many codes an address may try."""


@require_http_methods(["GET", "POST"])
def organisations(request: SpaceRequest) -> HttpResponseBase:
    """List the space's organisations, with the ways to one more; make a new one."""
    form = OrganisationForm(posted(request))
    if request.method == "POST" and (form.is_valid() or not _may_join(request)):
        try:
            made = create_organisation(
                request.actor,
                name=form.cleaned_data.get("name", ""),
                description=form.cleaned_data.get("description", ""),
            )
        except Invalid as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(
                request, _("%(name)s was created. Invite spaces.") % {"name": made.name}
            )
            return redirect(request, reverse("organisation", args=[made.pk]))
    return _list(request, form)


@require_http_methods(["GET", "POST"])
def organisation_join(request: SpaceRequest) -> HttpResponseBase:
    """Look at the organisation behind a code, then join it or ask for it."""
    limit_by_address(request, action="organisation_code", per_minute=CODES_PER_MINUTE)
    form = JoinForm(request.POST if request.method == "POST" else request.GET)
    message = MessageForm(posted(request))
    found = None
    try:
        if form.is_valid() or not _may_join(request):
            code = form.cleaned_data.get("code", "")
            found = find_by_code(request.actor, code=code)
            if request.method == "POST" and message.is_valid():
                text = message.cleaned_data["message"]
                return _joined(request, join_by_code(request.actor, code=code, message=text))
    except (Gone, Conflict, LimitReached) as refusal:
        add_refusal(form, refusal)
    context = {"form": form, "found": found, "message": message}
    status = 422 if form.errors else 200
    return render(request, "accounts/organisations/join.html", context, status=status)


@require_POST
def organisation_enter(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Join an organisation that was found by its name, or ask for it."""
    return _joined(request, join_by_name(request.actor, organisation_id=organisation_id))


@never_cache
@require_http_methods(["GET", "POST"])
def organisation(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Show an organisation; change its settings."""
    form = None
    if request.method == "POST":
        get_place(request.actor, organisation_id, action="manage")
        form = OrganisationSettingsForm(request.POST)
        if form.is_valid():
            update_organisation(request.actor, organisation_id=organisation_id, **form.cleaned_data)
            messages.success(request, _("Changes saved."))
            return redirect(request, request.path)
    return _page(request, organisation_id, form)


@require_POST
def organisation_code(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Renew the invite code."""
    get_place(request.actor, organisation_id, action="manage")
    form = CodeForm(request.POST)
    if not form.is_valid():
        raise Invalid(_("Choose for how long the code is valid."))
    renew_code(request.actor, organisation_id=organisation_id, days=form.cleaned_data["days"])
    messages.success(request, _("There is a new code; the old one opens nothing any more."))
    return back_to(request, organisation_id)


@require_POST
def organisation_delete(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Delete an organisation."""
    delete_organisation(request.actor, organisation_id=organisation_id)
    messages.success(request, _("The organisation is deleted; its shares are closed."))
    return redirect(request, reverse("organisations"))


@require_POST
def organisation_leave(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Take the own space out."""
    left = leave(request.actor, organisation_id=organisation_id)
    messages.success(request, _("Your space left %(name)s.") % {"name": left.name})
    return redirect(request, reverse("organisations"))


@require_GET
def shared_with_us(request: SpaceRequest) -> HttpResponseBase:
    """Show everything that other spaces share with this one."""
    context = {"rows": received_all(request.actor), "tab": "shared"}
    return render(request, "accounts/organisations/shared.html", context)


def _list(request: SpaceRequest, form: OrganisationForm) -> HttpResponseBase:
    may_join = _may_join(request)
    text = request.GET.get("q", "").strip()[:200]
    context = {
        "cards": list_organisations(request.actor),
        "requests": own_requests(request.actor),
        "form": form if may_join else None,
        "join_form": JoinForm() if may_join else None,
        "text": text,
        "found": find_by_name(request.actor, text=text) if may_join and text else [],
        "tab": "organisations",
    }
    status = 422 if form.errors else 200
    return render(request, "accounts/organisations/list.html", context, status=status)


def _page(
    request: SpaceRequest, organisation_id: UUID, form: OrganisationSettingsForm | None
) -> HttpResponseBase:
    page = organisation_page(request.actor, organisation_id)
    context: dict[str, Any] = {"page": page, "form": None, "code_form": None, "role_form": None}
    if page.may_manage:
        context["form"] = form or OrganisationSettingsForm(initial=_settings(page.organisation))
        context["code_form"] = CodeForm(initial={"days": DEFAULT_CODE_DAYS})
    if page.higher_roles:
        context["role_form"] = RoleForm(roles=page.higher_roles)
    return render(
        request,
        "accounts/organisations/page.html",
        context,
        status=422 if form is not None and form.errors else 200,
    )


def _settings(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in OrganisationSettingsForm.base_fields}


def _joined(request: SpaceRequest, result: OrganisationSpace | JoinRequest) -> HttpResponseBase:
    values = {"name": result.organisation.name}
    if isinstance(result, JoinRequest):
        messages.success(request, _("Asked. The admins of %(name)s decide.") % values)
        return redirect(request, reverse("organisations"))
    messages.success(request, _("Your space is in %(name)s now.") % values)
    return back_to(request, result.organisation_id)


def _may_join(request: SpaceRequest) -> bool:
    return may(request.actor, "create", OrganisationSpace)
