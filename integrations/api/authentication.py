"""Who sends a request to the API: a key, an application's person by a key, or a signed-in person."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from accounts.access import Actor
from accounts.actors import active_memberships, actor_by
from accounts.keys.authentication import Credential, actor_for, authenticate, space_id_of
from accounts.keys.external import HEADER as USER_TOKEN_HEADER
from accounts.login.two_factor import lacks_two_factor
from accounts.models import Membership, User
from accounts.throttle import limit_by_address
from core.errors import AccessDenied, NotSignedIn

KEY_HEADER = "X-API-Key"
SPACE_HEADER = "X-Tenant-ID"
WRONG_KEYS_PER_MINUTE = 60


class KeyAuthentication(BaseAuthentication):
    """A key in `X-API-Key`, or as `Authorization: Bearer`."""

    def authenticate(self, request: Request) -> tuple[Any, Credential] | None:
        """Return the credential; None when the request carries no key."""
        text = key_text(request)
        user_token = request.headers.get(USER_TOKEN_HEADER, "")
        if not text:
            if user_token:
                raise NotSignedIn(f"{USER_TOKEN_HEADER} needs a key beside it, in {KEY_HEADER}.")
            return None
        try:
            return AnonymousUser(), authenticate(text, user_token=user_token)
        except NotSignedIn:
            limit_by_address(
                request._request, action="wrong_api_key", per_minute=WRONG_KEYS_PER_MINUTE
            )
            raise

    def authenticate_header(self, request: Request) -> str:
        """Say how to come in."""
        return 'Bearer realm="api"'


class PersonAuthentication(SessionAuthentication):
    """A person who is signed in in this browser; what changes something needs the CSRF token."""


def key_text(request: Request) -> str:
    """Return the key that a request carries, empty without one."""
    text = request.headers.get(KEY_HEADER, "")
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return text or (token.strip() if scheme.lower() == "bearer" else "")


def actor_of_request(request: Request) -> Actor | None:
    """Return who asks, in the space that the request opens; None when it opens none.

    Raises:
        Invalid: X-Tenant-ID is no number.
        AccessDenied: the space it names is not theirs.
        NotFound: a key of the platform names a space that there is not.
    """
    wanted = request.headers.get(SPACE_HEADER)
    space_id = space_id_of(wanted) if wanted is not None else None
    if isinstance(request.auth, Credential):
        space_id = space_id or request.auth.key.space_id
        return actor_for(request.auth, space_id=space_id) if space_id is not None else None
    if isinstance(request.user, User):
        membership = _membership(request, request.user, space_id)
        return actor_by(membership) if membership is not None else None
    return None


def _membership(request: Request, user: User, space_id: int | None) -> Membership | None:
    """Return the membership by which a person asks: of the space they name, else of their page."""
    if space_id is None:
        chosen: Membership | None = getattr(request._request, "membership", None)
        return chosen
    membership = active_memberships(user).filter(space_id=space_id).first()
    if membership is None:
        raise AccessDenied(f"You are no member of the space that {SPACE_HEADER} names.")
    if lacks_two_factor(user, membership=membership, session=request._request.session):
        raise AccessDenied("Set up two-factor first; it is required there.")
    return membership
