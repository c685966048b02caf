"""Turns the signed-in person into an actor and opens their space for the request."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from accounts.access import Actor
from accounts.actors import active_memberships, actor_of
from accounts.models import Membership, User
from core.tenancy import space_scope

SPACE_SESSION_KEY = "space_id"
OPEN_PREFIXES = ("/account/", "/spaces/", "/invitation/", "/static/", "/health/", "/admin/")
"""Pages that work without a space."""


class SpaceRequest(HttpRequest):
    """A request of a person who works in a space: what every view behind the middleware gets."""

    user: User
    actor: Actor
    membership: Membership


class ActorMiddleware:
    """Sets `request.actor` and `request.membership` and opens the space's scope."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer inside of the person's space, or send them where they find one."""
        request.actor = None  # type: ignore[attr-defined]  # SpaceRequest describes it
        request.membership = None  # type: ignore[attr-defined]  # SpaceRequest describes it
        user = request.user
        if not isinstance(user, User):
            return self.get_response(request)
        membership = self._membership(request, user)
        if membership is None:
            if request.path.startswith(OPEN_PREFIXES):
                return self.get_response(request)
            return redirect("spaces")
        request.membership = membership  # type: ignore[attr-defined]  # SpaceRequest describes it
        request.actor = actor_of(user, space_id=membership.space_id)  # type: ignore[attr-defined]  # SpaceRequest describes it
        with space_scope(membership.space_id):
            return self.get_response(request)

    def _membership(self, request: HttpRequest, user: User) -> Membership | None:
        """Pick the session's space, else the last one, else the oldest."""
        found = list(active_memberships(user))
        for wanted in (request.session.get(SPACE_SESSION_KEY), user.last_space_id):
            for membership in found:
                if membership.space_id == wanted:
                    return membership
        return found[0] if found else None
