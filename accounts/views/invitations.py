"""The page behind an invitation's link: for strangers, for people with an account."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import JoinForm, add_refusal, posted
from accounts.invitation_doors import require_open_to
from accounts.middleware import PersonRequest
from accounts.models import Invitation, Membership, User
from accounts.services.addresses import is_proven
from accounts.services.inbox import accept_own, decline_own, waiting_for
from accounts.services.invitations import accept_invitation, find_invitation
from accounts.services.signup import sign_up_by_invitation
from accounts.services.spaces import switch_space
from accounts.throttle import limit_by_address
from core.errors import AccessDenied, Conflict, Invalid
from core.htmx import redirect, render

LOGIN_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
TRIES_PER_MINUTE = 30


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def open_invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Let the person join: at once with an account, else with a new one."""
    limit_by_address(request, action="invitation", per_minute=TRIES_PER_MINUTE)
    invitation = find_invitation(token)
    if isinstance(request.user, User):
        return _join(request, request.user, invitation)
    return _sign_up(request, invitation)


@never_cache
@require_GET
def own_invitations(request: PersonRequest) -> HttpResponse:
    """Show the invitations that wait for the person."""
    context = {
        "invitations": list(waiting_for(request.user)),
        "is_proven": is_proven(request.user),
    }
    return render(request, "accounts/invitations_own.html", context)


@require_POST
def accept_own_invitation(request: PersonRequest, invitation_id: UUID) -> HttpResponseBase:
    """Join a space."""
    membership = accept_own(request.user, invitation_id=invitation_id)
    return _enter(request, request.user, membership)


@require_POST
def decline_own_invitation(request: PersonRequest, invitation_id: UUID) -> HttpResponseBase:
    """Say no."""
    invitation = decline_own(request.user, invitation_id=invitation_id)
    text = _("You declined the invitation to %(space)s.") % {"space": invitation.space.name}
    messages.success(request, text)
    return redirect(request, reverse("own_invitations"))


def _join(request: HttpRequest, user: User, invitation: Invitation) -> HttpResponseBase:
    if request.method == "POST":
        membership = accept_invitation(user, token=invitation.token)
        return _enter(request, user, membership)
    require_open_to(user, invitation)
    other = bool(invitation.email) and invitation.email != user.email.lower()
    context = {"invitation": invitation, "is_for_another": other}
    return render(request, "accounts/invitation.html", context)


def _sign_up(request: HttpRequest, invitation: Invitation) -> HttpResponseBase:
    form = JoinForm(posted(request), initial={"email": invitation.email})
    if invitation.email:
        form.fields["email"].disabled = True
    if form.is_valid():
        try:
            membership = sign_up_by_invitation(invitation.token, **form.cleaned_data)
        except (Conflict, Invalid, AccessDenied) as refusal:
            add_refusal(form, refusal)
        else:
            login(request, membership.user, backend=LOGIN_BACKEND)
            return _enter(request, membership.user, membership)
    return _show_sign_up(request, invitation, form)


def _show_sign_up(request: HttpRequest, invitation: Invitation, form: JoinForm) -> HttpResponse:
    context = {"invitation": invitation, "form": form}
    status = 422 if form.errors else 200
    return render(request, "accounts/invitation_sign_up.html", context, status=status)


def _enter(request: HttpRequest, user: User, membership: Membership) -> HttpResponseBase:
    switch_space(user, space_id=membership.space_id, session=request.session)
    text = _("Welcome to %(space)s.") % {"space": membership.space.name}
    messages.success(request, text)
    return redirect(request, get_script_prefix())
