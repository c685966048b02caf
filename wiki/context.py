"""What the shell of every page shows of wikis."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from core.htmx import wants_fragment
from core.tenancy import space_scope
from wiki.changes.queries import count_unread, count_waiting
from wiki.models import WikiSettings


def inbox(request: HttpRequest) -> dict[str, Any]:
    """Return how much waits for the person; nothing for fragments and spaces without a wiki."""
    actor = getattr(request, "home_actor", None)
    if actor is None or wants_fragment(request) or request.path_info.startswith("/admin/"):
        return {}
    with space_scope(actor.space_id):
        if not WikiSettings.objects.filter(is_enabled=True).exists():
            return {}
        return {
            "wiki_inbox": {"count": count_waiting(actor), "unread": count_unread(actor)},
        }
