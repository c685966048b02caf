"""Pages about the spaces of an organisation: found, brought in, given roles; requests; shares."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.middleware import SpaceRequest
from accounts.organisations.joining import ask_for_role, decide_request, withdraw_request
from accounts.organisations.membership import find_spaces, invite_space, set_role, take_out
from accounts.organisations.pages import back_to
from accounts.organisations.sharing import end_share_in
from core.errors import Invalid
from core.htmx import redirect, render


@require_POST
def ask_role(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Ask for a higher role of the own space."""
    message = request.POST.get("message", "")
    role = request.POST.get("role", "")
    ask_for_role(request.actor, organisation_id=organisation_id, role=role, message=message)
    messages.success(request, _("Asked. The admins of the organisation decide."))
    return back_to(request, organisation_id)


@require_http_methods(["GET", "POST"])
def spaces(request: SpaceRequest, organisation_id: UUID) -> HttpResponseBase:
    """Find a space by its name; bring one in."""
    if request.method == "POST":
        place = invite_space(
            request.actor,
            organisation_id=organisation_id,
            space_id=_number(request.POST.get("space", "")),
            role=request.POST.get("role", ""),
        )
        messages.success(
            request, _("%(space)s is now in the organisation.") % {"space": place.member.name}
        )
        return back_to(request, organisation_id)
    text = request.GET.get("q", "")
    found = find_spaces(request.actor, organisation_id=organisation_id, text=text)
    context = {"found": found, "text": text.strip(), "organisation_id": organisation_id}
    return render(
        request,
        "accounts/organisations/spaces.html",
        context,
        partial="accounts/organisations/_found_spaces.html",
    )


@require_POST
def change_role(request: SpaceRequest, organisation_id: UUID, member_id: int) -> HttpResponseBase:
    """Give a space another role."""
    place = set_role(
        request.actor,
        organisation_id=organisation_id,
        space_id=member_id,
        role=request.POST.get("role", ""),
    )
    values = {"space": place.member.name, "role": place.get_role_display()}
    messages.success(request, _("%(space)s: %(role)s.") % values)
    return back_to(request, organisation_id)


@require_POST
def remove(request: SpaceRequest, organisation_id: UUID, member_id: int) -> HttpResponseBase:
    """Take a space out."""
    space = take_out(request.actor, organisation_id=organisation_id, space_id=member_id)
    messages.success(
        request, _("%(space)s was removed; its shares are closed.") % {"space": space.name}
    )
    return back_to(request, organisation_id)


@require_POST
def close_share(
    request: SpaceRequest, organisation_id: UUID, kind: str, share_id: int
) -> HttpResponseBase:
    """Close a share."""
    end_share_in(request.actor, organisation_id=organisation_id, kind=kind, share_id=share_id)
    messages.success(request, _("No longer shared."))
    return back_to(request, organisation_id)


@require_POST
def decide(request: SpaceRequest, request_id: UUID) -> HttpResponseBase:
    """Let a space in, or raise its role; or refuse it."""
    approve = request.POST.get("decision") == "approve"
    decided = decide_request(request.actor, request_id=request_id, approve=approve)
    text = _("%(space)s was approved.") if approve else _("%(space)s was rejected.")
    messages.success(request, text % {"space": decided.member.name})
    return back_to(request, decided.organisation_id)


@require_POST
def withdraw(request: SpaceRequest, request_id: UUID) -> HttpResponseBase:
    """Take back what the own space asked for."""
    withdraw_request(request.actor, request_id=request_id)
    messages.success(request, _("The request is withdrawn."))
    return redirect(request, reverse("organisations"))


def _number(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise Invalid(_("Choose a space of the list."))
    return int(value)
