"""What holds for the whole visit of a signed-in person: language, idle time, second factor."""

from __future__ import annotations

from collections.abc import Callable

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.login.sessions import idle_seconds, note_activity
from accounts.login.two_factor import lacks_two_factor
from accounts.models import User
from core.errors import AccessDenied
from core.htmx import redirect
from core.middleware import present

GetResponse = Callable[[HttpRequest], HttpResponseBase]
OPEN_WITHOUT_SECOND_FACTOR = (
    *("/account/", "/static/", "/health/", "/spaces/", "/invitation/"),
    "/w/",
)
"""Paths by which one sets a factor up or goes to another space…"""
OF_THE_CURRENT_SPACE = "/spaces/current/"
"""…but for these."""


class VisitMiddleware:
    """Ends a session that was idle for too long, notes its use, and speaks the person's language.

    It stands after the middleware of authentication and of messages.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on, as the person or, after too long, as a stranger."""
        user = request.user
        if not isinstance(user, User):
            return self.get_response(request)
        limit = settings.SESSION_IDLE_SECONDS
        if limit and idle_seconds(request.session) > limit:
            get_adapter(request).logout(request)
            messages.info(request, _("You were signed out because nothing happened for a while."))
            return self.get_response(request)
        note_activity(request)
        if not user.language:
            return self.get_response(request)
        with translation.override(user.language):
            request.LANGUAGE_CODE = translation.get_language() or settings.LANGUAGE_CODE
            response = self.get_response(request)
        response.headers["Content-Language"] = request.LANGUAGE_CODE
        return response


class TwoFactorMiddleware:
    """Leads people who need a second factor and have none to where they set one up.

    It stands after `accounts.middleware.ActorMiddleware`, which knows the space.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on, or send the person to set up a second factor."""
        user = request.user
        if not isinstance(user, User) or _is_open(request.path_info):
            return self.get_response(request)
        membership = getattr(request, "membership", None)
        if not lacks_two_factor(user, membership=membership, session=request.session):
            return self.get_response(request)
        if request.path_info.startswith("/api/"):
            return present(
                request, AccessDenied(_("Set up two-factor first; it is required here."))
            )
        return redirect(request, reverse("two_factor_required"))


def _is_open(path: str) -> bool:
    return path.startswith(OPEN_WITHOUT_SECOND_FACTOR) and not path.startswith(OF_THE_CURRENT_SPACE)
