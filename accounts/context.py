"""What every page's shell shows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the person's spaces and the one they are in; nothing for strangers."""
    membership = getattr(request, "membership", None)
    return {
        "membership": membership,
        "space": membership.space if membership else None,
        "memberships": getattr(request, "memberships", ()),
    }
