"""The page of what was done to a base."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from core.htmx import render
from knowledge.pages.activity import activity_context
from knowledge.queries import get_base


@never_cache
@require_GET
def base_activity(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show the newest events; with `?after=` older ones."""
    base = get_base(request.actor, base_id)
    context = activity_context(request.actor, base, cursor=request.GET.get("after", ""))
    return render(request, "knowledge/activity.html", context)
