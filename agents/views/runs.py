"""Pages of a run: how an answer came about, its events as JSON, going on with it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.middleware import SpaceRequest
from agents.constants import OPEN_RUN_STATES
from agents.models import AgentRun, RunEvent
from agents.pages.run import block, pretty, run_timeline, stored_events
from agents.pages.run_messages import messages_of
from agents.pages.verdicts import verdicts_context
from agents.services.openings import OpenedRun, open_run, top_conversation
from agents.spending.continuing import can_continue, continue_run
from agents.tracing.masking import mask_value
from agents.verdicts.reading import verdicts_of_runs
from core.errors import LimitReached
from core.htmx import redirect, render, wants_fragment

EVENTS_A_PAGE = 50
TABS = ("timeline", "messages", "events")


@require_GET
def run(request: SpaceRequest, run_id: UUID) -> HttpResponse:
    """Show how an answer came about; while it is being made the page renews itself."""
    opened = open_run(request.actor, run_id=run_id)
    tab = request.GET.get("tab", "")
    tab = tab if tab in TABS else TABS[0]
    context = {**_head(opened), "tab": tab, **_tab(request, opened.run, tab)}
    response = render(request, "runs/run.html", context, partial="runs/_body.html")
    if wants_fragment(request) and not context["is_live"]:
        response["HX-Refresh"] = "true"
    return response


@require_GET
def run_export(request: SpaceRequest, run_id: UUID) -> HttpResponse:
    """Return the run and its events as a JSON file, as far as the reader may see them."""
    found = open_run(request.actor, run_id=run_id).run
    rows = stored_events(request.actor, found)
    body = {
        "run": _facts(found),
        "events": [
            {"at": row.created_at.isoformat(), "seq_to": row.seq_to, **mask_value(row.data)}
            for row in rows
        ],
    }
    response = JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="run-{found.pk}.json"'
    return response


@require_POST
def run_continue(request: SpaceRequest, run_id: UUID) -> HttpResponseBase:
    """Go on with a run that a budget stopped; leads to its conversation."""
    opened = open_run(request.actor, run_id=run_id).run
    try:
        continue_run(request.actor, run_id=run_id)
    except LimitReached as refusal:
        messages.error(request, refusal.message)
    return redirect(request, reverse("conversation", args=[opened.conversation_id]))


def _head(opened: OpenedRun) -> dict[str, Any]:
    found = opened.run
    conversation = top_conversation(found)
    name = "conversation_opened" if opened.is_other else "conversation"
    return {
        "run": found,
        "is_other": opened.is_other,
        "is_live": found.state in OPEN_RUN_STATES and not opened.is_other,
        "conversation": conversation,
        "conversation_url": reverse(name, args=[conversation.pk]),
        "parent_url": reverse("run", args=[found.parent_id]) if found.parent_id else "",
        "agent_name": found.agent_called,
        "can_continue": not opened.is_other and can_continue(found),
    }


def _tab(request: SpaceRequest, found: AgentRun, tab: str) -> dict[str, Any]:
    if tab == "messages":
        return {"views": messages_of(request.actor, found)}
    rows = stored_events(request.actor, found)
    if tab == "timeline":
        verdicts = verdicts_of_runs(request.actor, [found]).get(found.pk)
        shown = verdicts_context(str(found.pk), verdicts, beside_answer=False)
        return {"timeline": run_timeline(found, rows), "verdicts": shown}
    page = Paginator(rows, EVENTS_A_PAGE).get_page(request.GET.get("page"))
    return {"page_obj": page, "events": [_event(row) for row in page.object_list]}


def _event(row: RunEvent) -> dict[str, Any]:
    span = str(row.seq) if row.seq == row.seq_to else f"{row.seq}–{row.seq_to}"
    return {
        "seq": span,
        "type": row.type,
        "at": row.created_at,
        "block": block(row.type, pretty(row.data)),
    }


def _facts(found: AgentRun) -> dict[str, Any]:
    return {
        "id": str(found.pk),
        "conversation_id": str(found.conversation_id),
        "parent_id": str(found.parent_id) if found.parent_id else None,
        "agent": found.agent_called or None,
        "model": found.model_name,
        "state": found.state,
        "outcome": found.outcome,
        "reason": found.reason,
        "usage": found.usage,
        "created_at": found.created_at.isoformat(),
        "started_at": found.started_at.isoformat() if found.started_at else None,
        "ended_at": found.ended_at.isoformat() if found.ended_at else None,
    }
