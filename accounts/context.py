"""What every page's shell shows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from accounts.actors import active_memberships
from accounts.models import User


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the person's spaces and the one they are in; nothing for strangers."""
    user = getattr(request, "user", None)
    membership = getattr(request, "membership", None)
    if not isinstance(user, User):
        return {}
    return {
        "membership": membership,
        "space": membership.space if membership else None,
        "memberships": active_memberships(user),
    }
