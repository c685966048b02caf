"""Pages of a space's members and its open invitations."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.constants import Role, roles_below
from accounts.forms import InvitationForm, add_refusal, posted
from accounts.middleware import SpaceRequest
from accounts.models import INVITATION_DAYS, Invitation
from accounts.queries import member_row, members_of, open_invitations
from accounts.services.bulk_invitations import invite_many
from accounts.services.invitations import (
    SentInvitation,
    create_invitation,
    resend_invitation,
    revoke_invitation,
)
from accounts.services.members import (
    change_role,
    hand_over,
    let_member_in,
    remove_member,
    suspend_member,
)
from accounts.space_forms import ManyForm
from core.errors import Conflict, Invalid
from core.htmx import redirect, render, toast, wants_fragment


@never_cache
@require_GET
def list_members(request: SpaceRequest) -> HttpResponseBase:
    """Show the members and, to those who may invite, the open invitations with their links."""
    return _show_members(request, _form(request))


@never_cache
@require_POST
def invite(request: SpaceRequest) -> HttpResponseBase:
    """Make an invitation; its link is shown whether or not a mail leaves."""
    form = _form(request, bound=True)
    if form.is_valid() or not may(request.actor, "create", Invitation):
        origin = _origin(request)
        try:
            sent = create_invitation(
                request.actor,
                role=form.cleaned_data.get("role", ""),
                email=form.cleaned_data.get("email", ""),
                origin=origin,
                days=form.cleaned_data.get("days") or INVITATION_DAYS,
                max_accepts=form.cleaned_data.get("max_accepts"),
            )
        except Conflict as refusal:
            add_refusal(form, refusal)
        else:
            _tell(request, sent)
            return redirect(request, f"{reverse('members')}#invitation-{sent.invitation.pk}")
    return _show_members(request, form)


@require_POST
def set_role(request: SpaceRequest, membership_id: int) -> HttpResponseBase:
    """Give a member another role; htmx gets their row."""
    role = request.POST.get("role", "")
    membership = change_role(request.actor, membership_id=membership_id, role=role)
    values = {"person": str(membership.user), "role": membership.get_role_display()}
    text = _("%(person)s is now %(role)s.") % values
    if not wants_fragment(request):
        messages.success(request, text)
        return redirect(request, reverse("members"))
    row = member_row(request.actor, membership)
    response = render(request, "accounts/_member.html", {"row": row})
    return toast(response, text, level="success")


@require_POST
def remove(request: SpaceRequest, membership_id: int) -> HttpResponseBase:
    """Take a member out of the space."""
    membership = remove_member(request.actor, membership_id=membership_id)
    text = _("%(person)s is no longer a member.") % {"person": str(membership.user)}
    messages.success(request, text)
    return redirect(request, reverse("members"))


@require_POST
def suspend(request: SpaceRequest, membership_id: int) -> HttpResponseBase:
    """Keep a member out for now."""
    membership = suspend_member(request.actor, membership_id=membership_id)
    text = _("%(person)s is suspended.") % {"person": str(membership.user)}
    messages.success(request, text)
    return redirect(request, reverse("members"))


@require_POST
def let_in(request: SpaceRequest, membership_id: int) -> HttpResponseBase:
    """End a suspension."""
    membership = let_member_in(request.actor, membership_id=membership_id)
    text = _("%(person)s may enter again.") % {"person": str(membership.user)}
    messages.success(request, text)
    return redirect(request, reverse("members"))


@require_POST
def give_space(request: SpaceRequest, membership_id: int) -> HttpResponseBase:
    """Hand the space over to another member."""
    membership = hand_over(request.actor, membership_id=membership_id)
    text = _("The space belongs to %(person)s now. You are one of its admins.")
    messages.success(request, text % {"person": str(membership.user)})
    return redirect(request, reverse("members"))


@never_cache
@require_http_methods(["GET", "POST"])
def invite_more(request: SpaceRequest) -> HttpResponseBase:
    """Invite everybody whose address is pasted, and tell what became of each."""
    require(request.actor, "create", Invitation)
    form = ManyForm(posted(request), roles=_roles(request), initial={"role": Role.CONTRIBUTOR})
    lines = None
    if form.is_valid():
        try:
            lines = invite_many(request.actor, origin=_origin(request), **form.cleaned_data)
        except Invalid as refusal:
            add_refusal(form, refusal)
    context = {"form": form, "lines": lines, "tab": "members"}
    status = 422 if form.errors else 200
    return render(request, "accounts/invitations_many.html", context, status=status)


@require_POST
def resend(request: SpaceRequest, invitation_id: UUID) -> HttpResponseBase:
    """Mail an open invitation again."""
    sent = resend_invitation(request.actor, invitation_id=invitation_id, origin=_origin(request))
    _tell(request, sent)
    return redirect(request, f"{reverse('members')}#invitation-{sent.invitation.pk}")


@require_POST
def revoke(request: SpaceRequest, invitation_id: UUID) -> HttpResponseBase:
    """End an invitation's link."""
    revoke_invitation(request.actor, invitation_id=invitation_id)
    messages.success(request, _("The invitation no longer works."))
    return redirect(request, reverse("members"))


def _show_members(request: SpaceRequest, form: InvitationForm) -> HttpResponseBase:
    actor = request.actor
    invitations = open_invitations(actor, origin=_origin(request))
    context = {
        "rows": members_of(actor),
        "invitations": invitations,
        "open_links": [row.invitation for row in invitations if not row.invitation.email],
        "form": form if may(actor, "create", Invitation) else None,
        "tab": "members",
    }
    return render(request, "accounts/members.html", context, status=422 if form.errors else 200)


def _form(request: SpaceRequest, *, bound: bool = False) -> InvitationForm:
    initial = {"role": Role.CONTRIBUTOR, "days": INVITATION_DAYS}
    return InvitationForm(request.POST if bound else None, roles=_roles(request), initial=initial)


def _roles(request: SpaceRequest) -> list[Role]:
    return [role for role in roles_below(request.actor.role) if role != Role.OWNER]


def _origin(request: SpaceRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _tell(request: SpaceRequest, sent: SentInvitation) -> None:
    email = sent.invitation.email
    if sent.joined is not None:
        text = _("%(person)s had an account and is a member now.")
        messages.success(request, text % {"person": str(sent.joined.user)})
    elif sent.mail_sent:
        messages.success(request, _("The invitation was sent to %(email)s.") % {"email": email})
    elif email:
        text = _("No mail went to %(email)s. Copy the link and hand it over.")
        messages.warning(request, text % {"email": email})
    else:
        messages.success(request, _("The link is ready. Copy it and hand it over."))
