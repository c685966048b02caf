"""Another person's conversation as an owner reads it, and who of a space may be opened."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from agents.pages.opened import read_only_turns
from agents.services.openings import open_conversation
from core.htmx import render


@require_GET
def conversation_opened(request: SpaceRequest, conversation_id: UUID) -> HttpResponseBase:
    """Show another person's conversation, to be read; the person's own leads to its own page."""
    found = open_conversation(request.actor, conversation_id=conversation_id)
    if found.user_id == request.actor.user_id:
        return redirect("conversation", found.pk)
    context = {
        "conversation": found,
        "person": str(found.user),
        "turns": read_only_turns(request.actor, found),
    }
    response: HttpResponse = render(request, "runs/opened.html", context)
    return response
