"""Pages of shared agents: with whom one is shared, and what people of other spaces see of it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may
from accounts.middleware import SpaceRequest
from accounts.organisations.forms import ShareForm
from accounts.organisations.pages import share_cards, take_share
from accounts.organisations.sharing import end_share
from agents.builtin import shown_name
from agents.models import HiddenAgent
from agents.queries import get_any_agent
from agents.services.readiness import blocking_problem
from agents.sharing.received import hide_agent, shared_agent
from core.htmx import render


@require_http_methods(["GET", "POST"])
def agent_sharing(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """Show with whom an agent is shared; share it with one organisation, or change that."""
    if request.method == "POST":
        refused = take_share(request, request.actor, kind="agent", object_id=agent_id)
        if refused:
            return _show(request, agent_id, bound=refused)
        messages.success(request, _("Shared. Their people can ask it from now on."))
        return redirect("agent_sharing", agent_id)
    return _show(request, agent_id)


@require_POST
def agent_sharing_end(
    request: SpaceRequest, agent_id: UUID, agent_share_id: int
) -> HttpResponseBase:
    """Close a share of the agent; runs of the other spaces stop."""
    get_any_agent(request.actor, agent_id)
    end_share(request.actor, kind="agent", share_id=agent_share_id)
    messages.success(request, _("No longer shared. It is closed to them from now on."))
    return redirect("agent_sharing", agent_id)


@require_GET
def agent_received(request: SpaceRequest, agent_id: UUID) -> HttpResponse:
    """Show what people of a space that receives an agent may know of it."""
    found = shared_agent(request.home_actor, agent_id, with_hidden=True)
    context = {
        "agent": found,
        "may_hide": may(request.home_actor, "create", HiddenAgent),
    }
    return render(request, "agents/sharing_received.html", context)


@require_POST
def agent_hide(request: SpaceRequest, shared_id: UUID) -> HttpResponseBase:
    """Take a shared agent out of the space's lists, or put it back."""
    wanted = request.POST.get("hidden") == "1"
    found = hide_agent(request.actor, agent_id=shared_id, is_hidden=wanted)
    text = (
        _("%(name)s is hidden from everybody here.") if wanted else _("%(name)s is offered again.")
    )
    messages.success(request, text % {"name": found.name})
    return redirect("agents")


def _show(
    request: SpaceRequest, agent_id: UUID, *, bound: Mapping[UUID, ShareForm] | None = None
) -> HttpResponse:
    found = get_any_agent(request.actor, agent_id)
    problem = blocking_problem(found)
    context = {
        "agent": found,
        "agent_name": shown_name(found.builtin_key, found.name),
        "bases": list(found.bases.filter(deleted_at__isnull=True).order_by("name")),
        "problem": problem.message if problem else "",
        "cards": share_cards(request.actor, kind="agent", object_id=agent_id, bound=bound),
        "kind": "agent",
    }
    return render(request, "agents/sharing.html", context, status=422 if bound else 200)
