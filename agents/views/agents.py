"""Pages of agents: the list, the editor, versions, and what the @ menu offers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from agents.agent_form import AgentForm
from agents.builtin import shown_description, shown_name
from agents.constants import BaseScope
from agents.models import Agent, HiddenAgent
from agents.pages.agents import (
    cards,
    editor_context,
    fits_context,
    form_for,
    labelled,
    preset_rows,
    version_rows,
)
from agents.presets import Preset
from agents.queries import get_any_agent
from agents.services.agent_values import AgentValues, values_of_agent
from agents.services.agents import (
    copy_agent,
    create_agent,
    delete_agent,
    enable_agent,
    reset_agent,
    restore_version,
    update_agent,
)
from agents.services.mentions import suggest_mentions
from agents.services.versions import compare_versions, get_version, list_versions
from agents.sharing.received import agent_to_ask, shared_agents
from agents.tool_rows import missing_words
from core.errors import ProjectError
from core.htmx import render
from core.tenancy import space_scope


@require_GET
def agents(request: SpaceRequest) -> HttpResponse:
    """List the space's agents."""
    context = {
        "cards": cards(request.actor),
        "shared": shared_agents(
            request.actor, with_hidden=may(request.actor, "create", HiddenAgent)
        ),
        "presets": preset_rows(),
        "may_create": may(request.actor, "create", Agent),
    }
    return render(request, "agents/agents.html", context)


@require_http_methods(["GET", "POST"])
def agent_new(request: SpaceRequest) -> HttpResponseBase:
    """Make an agent; `?preset=` fills the form in."""
    require(request.actor, "create", Agent)
    preset = _preset(request.GET.get("preset", ""))
    values = AgentValues(name="", config=preset.config)
    form = _form(request, values=values, agent=None)
    if form.is_bound and form.is_valid():
        try:
            made = create_agent(request.actor, values=form.values())
        except ProjectError as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, _("%(name)s is ready to be asked.") % {"name": made.name})
            return redirect("agent", made.pk)
    extra = {"preset": preset, "preset_note": missing_words(preset.missing_tools)}
    return _editor(request, form, agent=None, values=values, extra=extra)


@require_http_methods(["GET", "POST"])
def agent(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """Show an agent's settings, and save them."""
    found = get_any_agent(request.actor, agent_id)
    if request.method == "POST":
        require(request.actor, "change", found)
    values = _shown(found)
    form = _form(request, values=values, agent=found)
    if form.is_bound and form.is_valid():
        try:
            saved = update_agent(
                request.actor,
                agent_id=found.pk,
                values=_stored(form.values(), found),
                expected_version=form.cleaned_data["expected_version"] or 0,
                note=form.cleaned_data["note"],
            )
        except ProjectError as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, _("Saved as version %(n)s.") % {"n": saved.version})
            return redirect("agent", saved.pk)
    return _editor(request, form, agent=found, values=values, extra={})


@require_POST
def agent_fits(request: SpaceRequest, agent_id: UUID | None = None) -> HttpResponse:
    """Show again what follows from the form as it is filled in, saved or not."""
    found = get_any_agent(request.actor, agent_id) if agent_id else None
    require(request.actor, "change" if found else "create", found or Agent)
    form = _form(request, values=_shown(found) if found else AgentValues(name=""), agent=found)
    context = fits_context(request.actor, form, values=form.draft())
    return render(request, "agents/_fits.html", {**context, "may_change": True, "is_swap": True})


@require_POST
def agent_copy(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """Make a copy that belongs to the person, and open it."""
    return redirect("agent", copy_agent(request.actor, agent_id=agent_id).pk)


@require_POST
def agent_enable(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """Switch an agent on or off."""
    enable_agent(request.actor, agent_id=agent_id, is_enabled=request.POST.get("on") == "1")
    return redirect("agents")


@require_POST
def agent_delete(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """Delete an agent."""
    delete_agent(request.actor, agent_id=agent_id)
    return redirect("agents")


@require_POST
def agent_reset(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """Make a built-in agent what the product brings."""
    reset_agent(request.actor, agent_id=agent_id)
    return redirect("agent", agent_id)


@require_GET
def agent_versions(request: SpaceRequest, agent_id: UUID) -> HttpResponseBase:
    """List an agent's versions; `?old=…&new=…` leads to their comparison."""
    found = get_any_agent(request.actor, agent_id)
    old, new = request.GET.get("old", ""), request.GET.get("new", "")
    if old.isdecimal() and new.isdecimal() and len(old + new) < 16:
        first, second = sorted((int(old), int(new)))
        return redirect("agent_compare", found.pk, first, second)
    context = {
        "agent": found,
        "agent_name": shown_name(found.builtin_key, found.name),
        "versions": version_rows(found, list(list_versions(request.actor, agent_id=found.pk))),
        "may_change": may(request.actor, "change", found),
    }
    return render(request, "agents/versions.html", context)


@require_GET
def agent_compare(request: SpaceRequest, agent_id: UUID, old: int, new: int) -> HttpResponse:
    """Show what differs between two versions."""
    found = get_any_agent(request.actor, agent_id)
    differences = compare_versions(request.actor, agent_id=found.pk, old=old, new=new)
    context = {
        "agent": found,
        "agent_name": shown_name(found.builtin_key, found.name),
        "old": get_version(request.actor, agent_id=found.pk, number=old),
        "new": get_version(request.actor, agent_id=found.pk, number=new),
        "differences": [labelled(each) for each in differences],
        "may_change": may(request.actor, "change", found),
        "is_current": found.version == old,
    }
    return render(request, "agents/compare.html", context)


@require_POST
def agent_restore(request: SpaceRequest, agent_id: UUID, number: int) -> HttpResponseBase:
    """Bring a version back."""
    saved = restore_version(request.actor, agent_id=agent_id, number=number)
    messages.success(request, _("Version %(n)s is back.") % {"n": number})
    return redirect("agent", saved.pk)


@require_GET
def agent_mentions(request: SpaceRequest, agent_id: UUID) -> HttpResponse:
    """Offer what a question to this agent may name with @."""
    asker = request.home_actor
    found = agent_to_ask(asker, agent_id)
    with space_scope(asker.space_id):  # of a shared agent the page is a guest's
        options = suggest_mentions(asker, found, search=request.GET.get("q", ""))
    return render(request, "agents/_mentions.html", {"options": options})


def _preset(key: str) -> Preset:
    rows = {each.key: each for each in preset_rows()}
    return next((each for each in rows.values() if each.key == key), rows["custom"])


def _form(request: SpaceRequest, *, values: AgentValues, agent: Agent | None) -> AgentForm:
    data = request.POST if request.method == "POST" else None
    return form_for(
        request.actor,
        data,
        values=values,
        version=agent.version if agent else 0,
        agent_id=agent.pk if agent else None,
    )


def _editor(
    request: SpaceRequest,
    form: AgentForm,
    *,
    agent: Agent | None,
    values: AgentValues,
    extra: dict[str, Any],
) -> HttpResponse:
    may_change = agent is None or may(request.actor, "change", agent)
    now = form.draft() if form.is_bound else values
    context = editor_context(request.actor, form, values=now, agent=agent, may_change=may_change)
    status = 422 if form.is_bound else 200
    return render(request, "agents/agent.html", {**context, **extra}, status=status)


def _shown(found: Agent) -> AgentValues:
    """Return the agent as the person reads it: a built-in one's name in their language."""
    try:
        values = values_of_agent(found)
    except ProjectError:  # the stored configuration cannot be read: the form mends it
        values = AgentValues(
            name=found.name, mode=found.mode, base_scope=BaseScope(found.base_scope)
        )
    return replace(
        values,
        name=shown_name(found.builtin_key, found.name),
        description=shown_description(found.builtin_key, found.description),
    )


def _stored(values: AgentValues, found: Agent) -> AgentValues:
    """Return the values with a name that was only translated put back."""
    name, description = values.name, values.description
    if name == shown_name(found.builtin_key, found.name):
        name = found.name
    if description == shown_description(found.builtin_key, found.description):
        description = found.description
    return replace(values, name=name, description=description)
