"""Turns the signed-in person into an actor and opens their space for the request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.actors import SPACE_SESSION_KEY, active_memberships, actor_by, chosen_membership
from accounts.guests import guest_at
from accounts.models import Membership, User
from core.errors import NotSignedIn
from core.htmx import redirect
from core.middleware import present
from core.tenancy import space_scope

__all__ = ["SPACE_SESSION_KEY", "ActorMiddleware", "PersonRequest", "SpaceRequest"]

OPEN_TO_STRANGERS = (
    *("/account/", "/invitation/", "/static/", "/health/", "/admin/", "/api/"),
    "/w/",  # wikis that are published
)
"""Paths whose views ask for themselves who is there; every other view needs somebody."""
OPEN_WITHOUT_SPACE = (*OPEN_TO_STRANGERS, "/spaces/", "/profile/", "/platform/")
"""Paths that also work for a person who is not in any space…"""
OF_THE_CURRENT_SPACE = "/spaces/current/"
"""…but for these."""


class PersonRequest(HttpRequest):
    """A request of a signed-in person, who may be in no space."""

    user: User
    actor: Actor | None
    membership: Membership | None
    memberships: Sequence[Membership]


class SpaceRequest(HttpRequest):
    """A request of a person who works in a space: what every view behind the middleware gets."""

    user: User
    actor: Actor
    """A guest of another space where the address names something that space shares."""
    home_actor: Actor
    """The person in their own space: what the shell shows, and what they ask and keep."""
    membership: Membership
    memberships: Sequence[Membership]


class ActorMiddleware:
    """Sets `request.actor` and `request.membership` and opens the space's scope.

    It is closed by default: a view that no list above opens is not called for strangers, nor for
    people without a space. A body that is streamed leaves after the scope has ended: what it reads
    must have been read, or opened again, by then.

    An address that names something shared by another space makes the person its guest: the scope is
    that space's, `request.actor` may do there what the share says, `request.home_actor` stays.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer inside of the person's space, or send them where they find one."""
        user = request.user
        if not isinstance(user, User):
            _fill(request, actor=None, membership=None, memberships=())
            if request.path_info.startswith(OPEN_TO_STRANGERS):
                return self.get_response(request)
            return present(request, NotSignedIn(_("Sign in to see this.")))
        memberships = list(active_memberships(user))
        membership = chosen_membership(user, session=request.session, memberships=memberships)
        _forget_lost_space(request, memberships)
        actor = actor_by(membership) if membership else None
        _fill(request, actor=actor, membership=membership, memberships=memberships)
        if actor is None:
            _fill(request, home_actor=None)
            if _works_without_space(request.path_info):
                return self.get_response(request)
            return redirect(request, reverse("spaces"))
        here = guest_at(actor, request.path_info) or actor
        _fill(request, home_actor=actor, actor=here)
        with space_scope(here.space_id):
            return self.get_response(request)


def _works_without_space(path: str) -> bool:
    return path.startswith(OPEN_WITHOUT_SPACE) and not path.startswith(OF_THE_CURRENT_SPACE)


def _fill(request: HttpRequest, **values: Any) -> None:
    """Set what `PersonRequest` and `SpaceRequest` describe."""
    for name, value in values.items():
        setattr(request, name, value)


def _forget_lost_space(request: HttpRequest, memberships: Sequence[Membership]) -> None:
    """Take a space out of the session whose member the person no longer is."""
    wanted = request.session.get(SPACE_SESSION_KEY)
    if wanted is not None and all(one.space_id != wanted for one in memberships):
        del request.session[SPACE_SESSION_KEY]
