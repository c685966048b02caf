"""The person's security page: password, two-factor, passkeys, sessions, linked identities."""

from __future__ import annotations

from allauth.account.views import password_change, password_set
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.login.audit import record_sign_in
from accounts.login.external import DIRECTORY, signs_in_elsewhere
from accounts.login.oidc.config import oidc_config
from accounts.login.sessions import end_session, end_sessions, sessions_of
from accounts.login.two_factor import must_have, require_of_members
from accounts.middleware import PersonRequest, SpaceRequest
from accounts.models import User
from core.errors import Conflict, NotFound
from core.htmx import redirect, render


@never_cache
@login_required
@require_GET
def overview(request: PersonRequest) -> HttpResponseBase:
    """Show how the person signs in and where they are signed in."""
    user = request.user
    factors = list(Authenticator.objects.filter(user=user))
    by_type = {kind: [one for one in factors if one.type == kind] for kind in Authenticator.Type}
    context = {
        "app": next(iter(by_type[Authenticator.Type.TOTP]), None),
        "passkeys": [one.wrap() for one in by_type[Authenticator.Type.WEBAUTHN]],
        "codes_left": _codes_left(by_type[Authenticator.Type.RECOVERY_CODES]),
        "is_required": must_have(user),
        "sessions": sessions_of(user, current_key=request.session.session_key),
        "links": list(SocialAccount.objects.filter(user=user).exclude(provider=DIRECTORY)),
        "oidc": oidc_config(),
        "password_elsewhere": signs_in_elsewhere(user),
    }
    return render(request, "account/security.html", context)


@require_GET
def to_overview(request: HttpRequest) -> HttpResponseBase:
    """Lead from allauth's addresses to our page."""
    return redirect(request, reverse("security"))


@login_required
@require_POST
def end_one(request: PersonRequest, session_id: int) -> HttpResponseBase:
    """Sign the person out in one other browser."""
    end_session(request.user, session_id=session_id)
    record_sign_in("session_ended", user=request.user, request=request)
    messages.success(request, _("That browser is signed out."))
    return redirect(request, _sessions_url())


@login_required
@require_POST
def end_others(request: PersonRequest) -> HttpResponseBase:
    """Sign the person out everywhere but here."""
    count = end_sessions(request.user, keep_key=request.session.session_key)
    record_sign_in("sessions_ended", user=request.user, request=request, count=count)
    messages.success(request, _("All other browsers are signed out."))
    return redirect(request, _sessions_url())


@login_required
@require_POST
def disconnect(request: PersonRequest, link_id: int) -> HttpResponseBase:
    """Take the link to an identity elsewhere away, unless nothing else lets the person in."""
    links = SocialAccount.objects.filter(user=request.user).exclude(provider=DIRECTORY)
    link = links.filter(pk=link_id).first()
    if link is None:
        raise NotFound(_("There is no such connection."))
    passkeys = Authenticator.objects.filter(user=request.user, type=Authenticator.Type.WEBAUTHN)
    if not request.user.has_usable_password() and not passkeys.exists():
        raise Conflict(_("It is the only way you sign in. Add a passkey first."))
    link.delete()
    record_sign_in("unlinked", user=request.user, request=request)
    messages.success(request, _("The connection was removed."))
    return redirect(request, reverse("security"))


@never_cache
@login_required
@require_GET
def required(request: PersonRequest) -> HttpResponseBase:
    """Say that a second factor is required, and lead to where one is set up."""
    return render(request, "account/two_factor_required.html", {})


def change_password(request: HttpRequest) -> HttpResponseBase:
    """Change the password, if it is kept here."""
    _require_password_here(request)
    response: HttpResponseBase = password_change(request)
    return response


def set_password(request: HttpRequest) -> HttpResponseBase:
    """Set a first password, if the person's is not kept elsewhere."""
    _require_password_here(request)
    response: HttpResponseBase = password_set(request)
    return response


@require_POST
def require_two_factor(request: SpaceRequest) -> HttpResponseBase:
    """Say whether members of the current space need a second factor."""
    try:
        require_of_members(request.actor, required=request.POST.get("required") == "on")
    except Conflict as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("Changes saved."))
    return redirect(request, reverse("space_settings"))


def _require_password_here(request: HttpRequest) -> None:
    if isinstance(request.user, User) and signs_in_elsewhere(request.user):
        raise Conflict(
            _(
                "You sign in through single sign-on; your password is kept there, and you change it there."
            )
        )


def _codes_left(rows: list[Authenticator]) -> int | None:
    return len(rows[0].wrap().get_unused_codes()) if rows else None


def _sessions_url() -> str:
    return f"{reverse('security')}#sessions"
