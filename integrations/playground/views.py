"""The playground: try a route with the session or with a key."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from accounts.access import require
from accounts.keys.queries import list_keys, state_of
from accounts.middleware import SpaceRequest
from accounts.models import ApiKey
from core.htmx import render
from integrations.playground.routes import try_routes


@require_GET
def playground(request: SpaceRequest) -> HttpResponseBase:
    """Show the routes and the keys to try them with; for those who manage keys."""
    require(request.actor, "create", ApiKey)
    keys = [key for key in list_keys(request.actor) if state_of(key) in ("active", "ending")]
    context = {"routes": try_routes(), "keys": keys, "tab": "playground"}
    return render(request, "integrations/playground.html", context)
