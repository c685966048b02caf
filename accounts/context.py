"""What every page's shell shows."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest

from accounts.models import Space, User
from accounts.services.inbox import waiting_for


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the person's spaces and the one they are in; nothing for strangers.

    `shared_by` is the space whose guest they are on this page. `waiting_count`, how many invitations
    wait for them, is counted only where the whole shell is shown.
    """
    membership = getattr(request, "membership", None)
    actor = getattr(request, "actor", None)
    shared_by = None
    if actor is not None and actor.is_guest:
        shared_by = Space.objects.filter(pk=actor.space_id).first()
    return {
        "membership": membership,
        "space": membership.space if membership else None,
        "memberships": getattr(request, "memberships", ()),
        "shared_by": shared_by,
        "waiting_count": partial(_waiting_count, request),
    }


def _waiting_count(request: HttpRequest) -> int:
    return waiting_for(request.user).count() if isinstance(request.user, User) else 0
