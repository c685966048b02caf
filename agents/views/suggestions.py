"""Suggested questions as fragments, and what people did with them."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from accounts.middleware import SpaceRequest
from agents.pages.behind import suggestions_context
from agents.sharing.starters import offered_starters
from agents.suggestions.events import MOST_EVENTS, Happening, record_events
from agents.suggestions.places import generate_follow_ups, get_follow_ups, run_of_answer
from core.errors import Invalid
from core.htmx import render


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    set: UUID
    action: Literal["impression", "click", "dismiss", "regenerate"]
    key: str = Field(default="", max_length=40)


class _Batch(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    events: list[_Event] = Field(max_length=MOST_EVENTS)


@require_GET
def starters(request: SpaceRequest) -> HttpResponse:
    """Show the starters of the agent that was chosen."""
    try:
        agent_id = UUID(request.GET.get("agent_id", ""))
    except ValueError as error:
        raise Invalid("Name an agent: ?agent_id=…") from error
    offer = offered_starters(request.actor, agent_id)
    return render(request, "chat/_starters.html", {"starters": offer})


@require_http_methods(["GET", "POST"])
def message_suggestions(request: SpaceRequest, message_id: UUID) -> HttpResponse:
    """Show the questions behind an answer; a post begins them, with `again` anew."""
    if request.method == "POST":
        again = bool(request.POST.get("again"))
        offer = generate_follow_ups(request.actor, message_id=message_id, again=again)
    else:
        offer = get_follow_ups(request.actor, message_id=message_id)
    run = run_of_answer(request.actor, message_id)
    context = {"suggestions": suggestions_context(run, offer), "run_id": str(run.pk)}
    return render(request, "chat/_suggestions.html", context)


@require_POST
def suggestion_events(request: SpaceRequest) -> HttpResponse:
    """Store a batch of events: what was seen, clicked, closed."""
    record_events(request.actor, _happenings(request))
    return HttpResponse(status=204)


def _happenings(request: HttpRequest) -> list[Happening]:
    try:
        batch = _Batch.model_validate_json(request.body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Invalid(f"The events cannot be read ({place}: {first['msg']}).") from error
    return [Happening(set_id=each.set, action=each.action, key=each.key) for each in batch.events]
