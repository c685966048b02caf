"""Sockets of personas, without the network."""

from __future__ import annotations

from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import AnonymousUser

from accounts.actors import SPACE_SESSION_KEY
from agents.routing import websocket_urlpatterns
from tests.personas import Persona


def socket_of(persona: Persona | None, path: str) -> ApplicationCommunicator:
    """Make the socket that `persona` (None: a stranger) opens at `path`.

    asgiref's communicator, not that of Channels: the latter keeps database connections open.
    """
    matches = (pattern.resolve(path.lstrip("/")) for pattern in websocket_urlpatterns)
    match = next(found for found in matches if found is not None)
    session = {SPACE_SESSION_KEY: persona.space.pk} if persona else {}
    scope: dict[str, Any] = {
        "type": "websocket",
        "path": path,
        "headers": [],
        "cookies": {},
        "user": persona.user if persona else AnonymousUser(),
        "session": session,
        "url_route": {"args": (), "kwargs": match.kwargs},
    }
    return ApplicationCommunicator(match.func, scope)
