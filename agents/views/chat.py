"""Pages of the chat: a new one, a conversation, the list of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import get_script_prefix, reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from agents.forms import AskForm, RenameForm
from agents.live.presentation import AgentTurn, UserTurn, turns_of
from agents.live.sidebar import conversation_groups
from agents.models import AgentRun, Conversation, RunEvent
from agents.pages.agents import picker
from agents.pages.behind import with_what_stands_behind
from agents.queries import get_conversation, list_agents, runs_of
from agents.services.conversations import (
    Question,
    ask,
    delete_conversation,
    rename_conversation,
)
from agents.services.openings import openings_of
from agents.sharing.received import shared_agents
from agents.sharing.starters import SharedStarters, offered_starters
from agents.spending.gate import warning_for
from agents.suggestions.reading import Offered
from agents.tracing.closed import hide_closed_mentions
from agents.tracing.sight import masked_rows
from agents.wiki_mending import fixer_of, mending_of
from core.errors import ProjectError
from core.htmx import render
from knowledge.evidence import Evidence, read_evidence_of
from knowledge.models import KnowledgeBase
from knowledge.queries import list_bases


@require_http_methods(["GET", "POST"])
def chat_new(request: SpaceRequest) -> HttpResponseBase:
    """Show an empty chat; a posted question begins a conversation and leads to its page."""
    if request.method == "GET":
        return _new_page(request, text="", error="", status=200)
    form = AskForm(request.POST)
    text = request.POST.get("text", "")
    try:
        base_ids = tuple(UUID(each) for each in request.POST.getlist("base_ids"))
    except ValueError:
        base_ids = ()
    if not form.is_valid():
        return _new_page(request, text=text, error=_first_error(form), status=422)
    question = Question(
        text=text,
        taken_from=form.taken_from(),
        agent_id=form.cleaned_data["agent_id"],
        base_ids=base_ids,
        client_id=form.cleaned_data["client_id"],
    )
    try:
        limit_actor(request.actor, "ask")
        run = ask(request.actor, replace(question, mentions=form.mentions()))
    except ProjectError as refusal:
        return _new_page(request, text=text, error=refusal.message, status=refusal.http_status)
    return redirect("conversation", run.conversation_id)


@require_GET
def conversation(request: SpaceRequest, conversation_id: UUID) -> HttpResponse:
    """Show a conversation with all its turns; an answer in the making goes on by socket."""
    found = get_conversation(request.actor, conversation_id)
    context = {
        "conversation": found,
        "socket_url": f"{get_script_prefix()}ws/conversations/{found.pk}/",
        "turns": _turns(request, found),
        "openings": openings_of(found),
        "rename_form": RenameForm(initial={"title": found.title}),
        **_composer(
            request, agent_id=found.agent_id or found.shared_agent_id, base_ids=found.base_ids
        ),
    }
    return render(request, "chat/page.html", context)


@require_GET
def conversations(request: SpaceRequest) -> HttpResponse:
    """Show the list of the sidebar alone; the page it belongs to says which one is open."""
    current = request.headers.get("HX-Current-URL", "")
    groups = conversation_groups(request.actor, current_id=_conversation_in(current))
    return render(
        request, "chat/conversations.html", {"groups": groups}, partial="shell/_conversations.html"
    )


@require_POST
def conversation_rename(request: SpaceRequest, conversation_id: UUID) -> HttpResponseBase:
    """Give a conversation another title."""
    title = request.POST.get("title", "")
    rename_conversation(request.actor, conversation_id=conversation_id, title=title)
    return redirect("conversation", conversation_id)


@require_POST
def conversation_delete(request: SpaceRequest, conversation_id: UUID) -> HttpResponseBase:
    """Delete a conversation."""
    delete_conversation(request.actor, conversation_id=conversation_id)
    return redirect("chat_new")


def _new_page(request: SpaceRequest, *, text: str, error: str, status: int) -> HttpResponse:
    wished = request.POST.get("agent_id") or request.GET.get("agent", "")
    base_ids: list[str] = request.POST.getlist("base_ids")
    issue_id = _uuid_or_none(request.GET.get("issue", ""))
    if issue_id is not None and request.method == "GET":
        mending = mending_of(request.actor, issue_id)
        wished, text, base_ids = str(mending.agent.pk), mending.text, [str(mending.base_id)]
    composer = _composer(request, agent_id=_uuid_or_none(wished), base_ids=base_ids)
    context = {
        **composer,
        "text": text,
        "error": error,
        "action_url": reverse("chat_new"),
        "starters": _starters(request, composer["agent_id"]),
        "can_add_base": may(request.actor, "create", KnowledgeBase),
    }
    return render(request, "chat/new.html", context, status=status)


def _composer(
    request: SpaceRequest, *, agent_id: UUID | None, base_ids: list[str]
) -> dict[str, Any]:
    agents = list(list_agents(request.actor))
    fixer = fixer_of(request.actor)
    if fixer is not None and fixer.pk == agent_id:  # in no list, but where its work began
        agents.append(fixer)
    shared = shared_agents(request.actor)
    chosen_id = _chosen_id(agent_id, [agent.pk for agent in agents], [row.id for row in shared])
    is_own = chosen_id in {agent.pk for agent in agents}
    bases = [{"id": str(base.pk), "name": base.name} for base in list_bases(request.actor)]
    return {
        "agents": picker(request.actor, agents),
        "shared_agents": [
            {"id": str(row.id), "name": row.name, "owner": row.owner} for row in shared
        ],
        "agent_id": str(chosen_id or ""),
        # The budget of another space is none of the people's here.
        "budget_notice": warning_for(agent_id=chosen_id, user_id=request.actor.user_id)
        if is_own or chosen_id is None
        else "",
        "bases": bases,
        "base_ids": [each for each in base_ids if any(base["id"] == each for base in bases)],
    }


def _chosen_id(wanted: UUID | None, own: Sequence[UUID], shared: Sequence[UUID]) -> UUID | None:
    """Return the agent that is chosen in the list: the wanted one, else the first."""
    return wanted if wanted in (*own, *shared) else next(iter(own), None)


def _starters(request: SpaceRequest, agent_id: str) -> Offered | SharedStarters | None:
    if not agent_id:
        return None
    return offered_starters(request.actor, UUID(agent_id))


def _turns(request: SpaceRequest, found: Conversation) -> list[UserTurn | AgentTurn]:
    """Return questions and answers in their order; events and evidence in one query each."""
    runs = list(runs_of(request.actor, found.pk))
    events: defaultdict[UUID, list[RunEvent]] = defaultdict(list)
    rows = RunEvent.objects.filter(run__in=runs).order_by("run_id", "seq")
    for row in masked_rows(request.actor, list(rows)):
        events[row.run_id].append(row)
    evidence = read_evidence_of(
        request.actor, origin_ids=[run.answer_id for run in runs if run.answer_id]
    )
    hide_closed_mentions(request.actor, runs)
    turns: list[UserTurn | AgentTurn] = []
    for run in runs:
        turns += turns_of(run, events[run.pk], _evidence(run, evidence))
    return with_what_stands_behind(request.actor, runs, turns)


def _evidence(run: AgentRun, evidence: dict[UUID, list[Evidence]]) -> list[Evidence]:
    return evidence.get(run.answer_id, []) if run.answer_id else []


def _conversation_in(address: str) -> UUID | None:
    for part in address.split("/"):
        try:
            return UUID(part)
        except ValueError:
            continue
    return None


def _uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _first_error(form: AskForm) -> str:
    return next(str(errors[0]) for errors in form.errors.values())
