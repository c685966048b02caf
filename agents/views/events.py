"""A run's events for programs: Server-Sent Events that can be taken up again."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from agents.constants import OPEN_RUN_STATES
from agents.live.event_stream import event_stream
from agents.queries import get_run
from core.errors import Invalid


@require_GET
def run_events(request: SpaceRequest, run_id: UUID) -> HttpResponseBase:
    """Send the run's events after `Last-Event-ID` (or `?after=`), and on until the run is over."""
    run = get_run(request.actor, run_id)
    after = _number(request.headers.get("Last-Event-ID") or request.GET.get("after", "0"))
    if run.state not in OPEN_RUN_STATES and after >= run.last_seq:
        return HttpResponse(status=204)  # which tells a browser not to come back
    stream = event_stream(
        request.user,
        space_id=request.actor.space_id,
        conversation_id=run.conversation_id,
        run_id=run.pk,
        after=after,
    )
    response = StreamingHttpResponse(stream, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # a proxy must not hold events back
    return response


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Invalid("The number of the last event must be a whole number, such as 12.")
    return int(text)
