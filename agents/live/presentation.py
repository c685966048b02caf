"""Contexts of the chat's partials: the same for a page, a fragment and a frame of the socket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from agents.approvals.cards import step_of, waiting_headline
from agents.builtin import shown_name
from agents.constants import OPEN_RUN_STATES, RunState
from agents.engine.events import parse_event
from agents.live.run_view import RunView, Step, ToolCard
from agents.live.work import ARGUMENT_CHARS, extras_of, files_of, left_out_of, plan_of
from agents.models import AgentRun, RunEvent
from agents.spending.continuing import can_continue
from core.markdown import render_markdown
from knowledge.evidence import Evidence
from knowledge.pictures.shown import passage_html

HeadState = Literal["queued", "running", "waiting", "done", "stopped", "failed"]
_HEAD_STATES: dict[str, HeadState] = {
    RunState.QUEUED: "queued",
    RunState.RUNNING: "running",
    RunState.WAITING_APPROVAL: "waiting",
    RunState.DONE: "done",
    RunState.CANCELLED: "stopped",
    RunState.FAILED: "failed",
}
_TOOL_ICONS = {
    "knowledge_search": "search",
    "query_understanding": "brain",
    "query_expansion": "telescope",
    "grep_chunks": "hash",
    "list_knowledge_chunks": "file-text",
    "get_document_info": "info",
    "query_knowledge_graph": "network",
    "wiki_search": "search",
    "wiki_read_page": "book-open-text",
    "wiki_read_source_doc": "file-text",
    "wiki_write_page": "pencil",
    "wiki_replace_text": "pencil",
    "wiki_rename_page": "pencil",
    "wiki_delete_page": "trash-2",
    "wiki_flag_issue": "triangle-alert",
    "wiki_read_issue": "triangle-alert",
    "wiki_update_issue": "circle-check",
    "thinking": "brain",
    "todo_write": "list-checks",
    "call_agent": "bot",
    "check_task_status": "clock",
    "read_tool_result": "rows-2",
    "publish_artifact": "files",
    "read_file": "file-text",
    "list_sandbox_files": "files",
    "write_sandbox_file": "file-text",
    "edit_sandbox_file": "file-text",
    "shell_exec": "zap",
}
_SHOWN_OUTPUT_CHARACTERS = 4000


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Why there is no answer, or less than one."""

    text: str
    detail: str = ""
    ask_again: str = ""
    is_failure: bool = True
    continue_url: str = ""
    """Where to go on, when a budget stopped the run."""


@dataclass(frozen=True, kw_only=True)
class UserTurn:
    """A question, for `_turn_user.html`."""

    id: str
    text: str
    mentions: list[dict[str, Any]] = field(default_factory=list)
    kind: Literal["user"] = "user"


@dataclass(frozen=True, kw_only=True)
class AgentTurn:
    """An answer, for `_turn_agent.html`."""

    id: str
    run_id: str
    agent_name: str
    model_label: str
    at: datetime
    state: HeadState
    headline: str
    seq: int
    is_open: bool
    steps: list[dict[str, Any]]
    answer_html: SafeString
    answer_markdown: str
    problem: Problem | None = None
    sources: list[dict[str, Any]] = field(default_factory=list)
    actions: dict[str, str] | None = None
    plan: dict[str, Any] | None = None
    files: list[dict[str, Any]] = field(default_factory=list)
    left_out: dict[str, Any] | None = None
    verdicts: dict[str, Any] | None = None
    memories: dict[str, Any] | None = None
    suggestions: dict[str, Any] | None = None
    thumbs: dict[str, Any] | None = None
    answered: dict[str, Any] | None = None
    kind: Literal["agent"] = "agent"


def turns_of(
    run: AgentRun, events: Sequence[RunEvent], evidence: Sequence[Evidence]
) -> tuple[UserTurn, AgentTurn]:
    """Return the question and the answer of a run, folded from its events."""
    view = RunView(run_id=str(run.pk))
    for row in events:
        view.fold(parse_event(row.data), seq_to=row.seq_to)
    question = user_turn(run)
    return question, agent_turn(run, view, evidence)


def user_turn(run: AgentRun) -> UserTurn:
    """Return the context of a question, with what it named with @."""
    asked = run.question
    return UserTurn(id=str(asked.pk), text=asked.text, mentions=asked.mentions)


def agent_turn(run: AgentRun, view: RunView, evidence: Sequence[Evidence]) -> AgentTurn:
    """Return the context of an answer, done or in the making."""
    is_open = run.state in OPEN_RUN_STATES
    return AgentTurn(
        id=str(run.pk),
        run_id=str(run.pk),
        agent_name=agent_name_of(run),
        model_label=_("extractive, no language model") if run.is_extractive else "",
        at=run.created_at,
        state=_HEAD_STATES[run.state],
        headline=headline_of(run, view),
        seq=view.seq,
        is_open=is_open,
        steps=[step_context(view.run_id, step) for step in view.steps],
        answer_html=render_markdown("" if is_open else view.answer, run_id=view.run_id),
        answer_markdown=view.answer if is_open else "",
        problem=None if is_open else problem_of(run, view),
        sources=[source_context(each) for each in evidence],
        actions=None if is_open else actions_of(run, view),
        plan=plan_of(view),
        files=[] if is_open else files_of(view),
        left_out=None if is_open else left_out_of(view),
    )


def agent_name_of(run: AgentRun) -> str:
    """Return the agent's name as the person reads it."""
    agent = run.agent
    if agent is None:
        return run.shared_agent_name or _("Removed agent")
    return shown_name(agent.builtin_key, agent.name)


def headline_of(run: AgentRun, view: RunView) -> str:
    """Return one line about what the run does, or what it took."""
    if run.state == RunState.QUEUED:
        return _("Waiting for a worker")
    if run.state in OPEN_RUN_STATES:
        return live_head(view)[1]
    seconds = _seconds(run)
    if run.state == RunState.CANCELLED:
        return _("Stopped after %(time)s") % {"time": seconds}
    if run.state == RunState.FAILED:
        return _("Failed after %(time)s") % {"time": seconds}
    tools = view.tool_calls
    steps = ngettext("%(n)s step", "%(n)s steps", tools) % {"n": tools}
    return _("Worked for %(time)s · %(steps)s") % {"time": seconds, "steps": steps}


def live_head(view: RunView) -> tuple[HeadState, str]:
    """Return state and headline of a run that is not over."""
    waiting = waiting_headline(view.run_id) if view.open_approvals else ""
    return ("waiting", waiting) if waiting else ("running", live_headline(view))


def live_headline(view: RunView) -> str:
    """Return what a running run does now."""
    step = view.steps[-1] if view.steps else None
    if view.answer:
        return _("Answering")
    if step is not None and step.kind == "tools" and step.state == "live":
        return step.cards[-1].title
    return _("Thinking")


def problem_of(run: AgentRun, view: RunView) -> Problem | None:
    """Return what to say when the run ended in another way than with an answer."""
    if view.outcome in (None, "answered"):
        return None
    text = view.reason or run.reason or _("The run ended without an answer.")
    if view.outcome == "fallback" and text.strip() == view.answer.strip():
        return None  # the answer says it
    return Problem(
        text=text,
        ask_again=run.question.text if view.outcome in ("failed", "stopped") else "",
        is_failure=view.outcome == "failed",
        continue_url=_continue_url(run, view),
    )


def _continue_url(run: AgentRun, view: RunView) -> str:
    stopped = view.end == "budget" and can_continue(run)
    return reverse("run_continue", args=[run.pk]) if stopped else ""


def actions_of(run: AgentRun, view: RunView) -> dict[str, str] | None:
    """Return what can be done with an answer; None without one."""
    if not view.answer:
        return None
    tokens = sum(run.usage.get(name, 0) for name in ("input_tokens", "output_tokens"))
    parts = [run.model_name]
    if tokens and not run.is_extractive:
        parts.append(ngettext("%(n)s token", "%(n)s tokens", tokens) % {"n": f"{tokens:,}"})
    parts.append(_seconds(run))
    return {"meta": " · ".join(part for part in parts if part), "ask_again": run.question.text}


def step_context(run_id: str, step: Step) -> dict[str, Any]:
    """Return the context of one step's partial."""
    if step.kind == "approval":
        return step_of(run_id, seq=step.seq, element_id=step_id(run_id, step.key))
    return {
        "kind": step.kind,
        "id": step_id(run_id, step.key),
        "text": step.text,
        "state": step.state,
        "is_live": step.state == "live",
        "duration": _milliseconds(step.duration_ms),
        "calls": [card_context(run_id, card) for card in step.cards],
    }


def step_id(run_id: str, key: str) -> str:
    """Return the id of a step's element."""
    return f"step-{run_id}-{key}"


def card_context(run_id: str, card: ToolCard) -> dict[str, Any]:
    """Return the context of one tool's card."""
    bad = card.state == "bad"
    hits = [_hit_context(hit) for hit in card.data.get("hits", [])]
    extras = extras_of(run_id, card)
    return {
        "run_id": run_id,
        "call_id": card.call_id,
        "icon": _TOOL_ICONS.get(card.name, "wrench"),
        "name": card.title,
        "state": card.state,
        "subtitle": card.summary or _("Running"),
        "duration": _milliseconds(card.duration_ms),
        "arguments": [
            (label, _readable(value)) for label, value in extras["shown_arguments"].items()
        ],
        "child": extras["child"],
        "files": extras["files"],
        "hits": hits,
        "output": ""
        if hits or bad or extras["hides_output"]
        else card.output[:_SHOWN_OUTPUT_CHARACTERS],
        "error": card.output[:_SHOWN_OUTPUT_CHARACTERS] if bad else "",
    }


def _quote(evidence: Evidence) -> str:
    """Return the passage, as HTML with its pictures where it may be opened."""
    if evidence.document_id is None or not evidence.pictures:
        return evidence.text
    return passage_html(evidence.document_id, evidence.marked_text, kept=evidence.pictures)


def source_context(evidence: Evidence) -> dict[str, Any]:
    """Return the context of one source's card."""
    hidden = evidence.source_state == "hidden"
    url = ""
    if evidence.document_id is not None and not hidden:
        url = passage_url(str(evidence.document_id), str(evidence.chunk_id or ""))
    return {
        "number": evidence.marker,
        "title": _("A source you may not see") if hidden else evidence.document_name,
        "location": _location(
            evidence.page_from, " › ".join(evidence.heading_path), is_wiki=evidence.is_wiki
        ),
        "url": url,
        "quote": _quote(evidence),
        "state": "" if evidence.source_state == "unchanged" else evidence.source_state,
    }


def passage_url(document_id: str, chunk_id: str) -> str:
    """Return the address of a passage in its document."""
    address = reverse("document", args=[document_id])
    return f"{address}?chunk={chunk_id}#chunk-{chunk_id}" if chunk_id else address


def _hit_context(hit: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": hit["name"],
        "location": _location(
            hit.get("page"), hit.get("heading", ""), is_wiki=hit.get("is_wiki", False)
        ),
        "text": hit["excerpt"],
        "url": passage_url(hit["document_id"], hit["chunk_id"]),
        "percent": None,
    }


def _location(page: int | None, heading: str, *, is_wiki: bool = False) -> str:
    where = _("Wiki") if is_wiki else _("p. %(page)s") % {"page": page} if page else ""
    parts = [where, heading]
    return " · ".join(part for part in parts if part)


def _readable(value: Any) -> str:
    if isinstance(value, list):
        value = " · ".join(str(each) for each in value)
    text = str(value)
    return text if len(text) <= ARGUMENT_CHARS else text[:ARGUMENT_CHARS] + "…"


def _milliseconds(duration_ms: int | None) -> str:
    if duration_ms is None:
        return ""
    if duration_ms < 1000:
        return _("%(n)s ms") % {"n": duration_ms}
    return _("%(n)s s") % {"n": f"{duration_ms / 1000:.1f}"}


def _seconds(run: AgentRun) -> str:
    begun, ended = run.started_at or run.created_at, run.ended_at or run.created_at
    return _milliseconds(max(0, round((ended - begun).total_seconds() * 1000)))
