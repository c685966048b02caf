"""What the shell of every page shows of agents."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest

from agents.approvals.queries import count_waiting
from agents.live.sidebar import conversation_groups
from core.htmx import wants_fragment
from core.tenancy import space_scope


def conversations(request: HttpRequest) -> dict[str, Any]:
    """Return the person's conversations and what waits for them; nothing for fragments."""
    actor = getattr(request, "home_actor", None)
    if actor is None or wants_fragment(request) or request.path_info.startswith("/admin/"):
        return {}
    match = request.resolver_match
    current = match.kwargs.get("conversation_id") if match else None
    current_id = current if isinstance(current, UUID) else None
    with space_scope(actor.space_id):  # the page may be a guest's, in the scope of another space
        return {
            "conversation_groups": conversation_groups(actor, current_id=current_id),
            "approvals_count": count_waiting(actor),
        }
