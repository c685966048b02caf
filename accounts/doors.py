"""Tells the audit through which door a request came, and writes down what was refused in it."""

from __future__ import annotations

from collections.abc import Callable

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponseBase

from accounts.access import Actor
from accounts.services.audit import record_refusal
from core.doors import Door, at_door
from core.errors import AccessDenied


class DoorMiddleware:
    """The last of all: who asks is known, and no exception has become an answer yet.

    A stranger who is sent to the log-in is no refused member: what the doors before it turn away is
    not written down here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        with at_door(lambda: door_of(request)):
            return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """Record a refusal; how it is shown is for the middleware of error pages to say."""
        actor = getattr(request, "actor", None)
        if isinstance(actor, Actor) and isinstance(exception, AccessDenied):
            record_refusal(actor, exception)


def door_of(request: HttpRequest) -> Door:
    """Return the template of the request's address, never the address: a path may hold a secret."""
    match = request.resolver_match
    return Door(
        path=f"{request.method} /{match.route if match else '?'}"[:200],
        ip_address=str(get_adapter().get_client_ip(request)),
    )
