"""Asking another agent of the space, and looking how far it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from agents.engine.aliases import Aliases
from agents.engine.citations import Citation
from agents.engine.errors import ToolFailed
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.models import Agent
from agents.queries import list_agents
from agents.runs.children import Assignment, begin_child, finish_child, watch_run
from agents.runs.family import MAX_DEPTH
from agents.runs.reports import ChildReport, find_child, report_of
from agents.tools.artifacts import file_data
from agents.tools.deps import RunDeps
from agents.tools.registry import Offer
from agents.tracing.closed import as_sources
from core.aio import in_db
from core.errors import ProjectError

CALL_AGENT = "call_agent"
CHILD = "child"
"""`display_type` of the data of a call that began a run."""
_TIMEOUT_SECONDS = 600.0
_LOOK_SECONDS = 20.0
_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
_MARKERS = re.compile(r"\[(\d{1,3})\](?!\()")
_DESCRIPTION_CHARS = 300


def _title(arguments: Arguments) -> str:
    return f"Asking {arguments['agent']}"


@tool(
    side_effects="idempotent",
    timeout_seconds=_TIMEOUT_SECONDS,
    also_known_as=("SUB_AGENT_CALL", "SUBMIT_SUBAGENT_TASK"),
    implied={"SUBMIT_SUBAGENT_TASK": {"wait": False}},
    argument_names={
        "agentname": "agent",
        "agentid": "agent",
        "name": "agent",
        "subagent": "agent",
        "targetresource": "agent",
        "message": "task",
        "query": "task",
        "taskdescription": "task",
        "description": "task",
        "prompt": "task",
    },
    title=_title,
)
async def call_agent(
    ctx: ToolContext[RunDeps],
    agent: Annotated[str, Field(min_length=1, max_length=120, description="Its name.")],
    task: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description="Everything it must know: it sees nothing of this conversation.",
        ),
    ],
    wait: Annotated[
        bool, Field(description="False: it works beside you; ask for it with check_task_status.")
    ] = True,
) -> ToolResult:
    """Give a task to another agent and get its answer, with sources you can cite.

    Use it for a part of the question that the other agent is made for. Several agents can be asked
    at once. Example: {"agent": "Contracts", "task": "Which notice period does lease A name?"}
    """
    chosen = await in_db(_find_agent, ctx.deps, agent)
    assignment = Assignment(agent_id=chosen, task=task, waits=wait)
    try:
        child = await in_db(begin_child, ctx.deps, call_id=ctx.call_id, assignment=assignment)
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal
    if wait:
        await finish_child(ctx.deps, child)
    return tell(await in_db(report_of, ctx.deps.actor, child.pk), ctx.aliases)


@tool(
    repeatable=True,
    also_known_as=("CHECK_TASK_STATUS",),
    argument_names={"task": "task_id", "id": "task_id", "callid": "task_id"},
    title="Looking how far another agent is",
)
async def check_task_status(
    ctx: ToolContext[RunDeps],
    task_id: Annotated[
        str, Field(min_length=1, max_length=120, description="As call_agent gave it.")
    ],
) -> ToolResult:
    """Tell how far a task is that was given to another agent; with its answer when it is done.

    Waits up to 20 seconds for it. Do something else between two calls, or answer without it when it
    takes too long. Example: {"task_id": "call_2_1"}
    """
    try:
        child_id = await in_db(
            find_child,
            run_id=ctx.deps.run_id,
            conversation_id=ctx.deps.conversation_id,
            task_id=task_id,
        )
    except ProjectError as missing:
        raise ToolFailed(missing.message, code=missing.code) from missing
    with ctx.cancel.interruptible():
        await watch_run(child_id, seconds=_LOOK_SECONDS)
    return tell(await in_db(report_of, ctx.deps.actor, child_id), ctx.aliases)


def build_call_agent(deps: RunDeps) -> Sequence[Tool[RunDeps]]:
    """Return `call_agent` as this run's agent may use it: with the agents it can ask, by name."""
    if deps.depth >= MAX_DEPTH:
        return ()
    agents = _callable_agents(deps)
    if not agents:
        return ()
    lines = [f"- {each.name}: {_one_line(each.description)}".rstrip(": ") for each in agents]
    parameters = {**call_agent.spec.parameters}
    properties = {**parameters["properties"]}
    properties["agent"] = {**properties["agent"], "enum": [each.name for each in agents]}
    parameters["properties"] = properties
    text = "\n".join([call_agent.spec.description, "", "Agents:", *lines])
    spec = call_agent.spec.model_copy(update={"description": text, "parameters": parameters})
    return (replace(call_agent, spec=spec),)


def tell(report: ChildReport, aliases: Aliases) -> ToolResult:
    """Write a report for the model, for people and for the card."""
    data = {
        "display_type": CHILD,
        "child": {
            "run_id": str(report.run_id),
            "task_id": report.task_id,
            "agent": report.agent_name,
            "state": report.state,
            "outcome": report.outcome,
            "rounds": report.rounds,
        },
        "files": [file_data(each) for each in report.files],
        "sources": as_sources(report.document_ids),
    }
    if report.is_open:
        return ToolResult(output=_open_text(report), summary=_open_summary(report), data=data)
    head = f"{report.agent_name} is done ({report.outcome})."
    if report.outcome != "answered" and report.reason:
        head += f" {report.reason}"
    parts = [head, answer_with_aliases(report, aliases) or "It gave no answer."]
    sources = [_source_line(each.citation, each.excerpt, aliases) for each in report.sources]
    if sources:
        parts.append("\n".join(["Sources of it, to cite:", *sources]))
    if report.files:
        parts.append("Files it made: " + ", ".join(each.name for each in report.files))
    summary = f"{report.agent_name}: {len(report.sources)} sources"
    return ToolResult(output="\n\n".join(parts), summary=summary, data=data)


def answer_with_aliases(report: ChildReport, aliases: Aliases) -> str:
    """Return the child's answer, its markers [1] replaced by the caller's aliases [c4].

    A marker whose source may not be seen any more vanishes; text inside of code stays.
    """
    by_marker = {each.citation.marker: each.citation for each in report.sources}

    def alias(match: re.Match[str]) -> str:
        citation = by_marker.get(int(match[1]))
        return f"[{alias_of(citation, aliases)}]" if citation else ""

    parts = _CODE.split(report.answer)
    return "".join(
        part if number % 2 else _MARKERS.sub(alias, part) for number, part in enumerate(parts)
    )


def alias_of(citation: Citation, aliases: Aliases) -> str:
    """Return the caller's alias of what a child cited."""
    if citation.kind == "web":
        return aliases.web(citation.url, title=citation.title)
    if citation.kind == "chunk" and citation.chunk_id:
        return aliases.chunk(
            citation.chunk_id,
            document_id=citation.document_id,
            base_id=citation.base_id,
            title=citation.title,
            page=citation.page,
        )
    return aliases.document(citation.document_id, base_id=citation.base_id, title=citation.title)


def is_of_use(offer: Offer) -> bool:
    """Whether the run can give tasks to others."""
    return CALL_AGENT in offer.names


STATUS_TOOLS: tuple[Tool[RunDeps], ...] = (check_task_status,)


def _open_text(report: ChildReport) -> str:
    why = " It waits for a person's decision." if report.waits_for_person else ""
    last = f", last used {report.last_tool}" if report.last_tool else ""
    return (
        f"{report.agent_name} is still working (round {report.rounds}{last}).{why} "
        f'Its task id is "{report.task_id}"; ask for it with check_task_status.'
    )


def _open_summary(report: ChildReport) -> str:
    state = "waits for a decision" if report.waits_for_person else "still working"
    return f"{report.agent_name}: {state}"


def _source_line(citation: Citation, excerpt: str, aliases: Aliases) -> str:
    page = f", page {citation.page}" if citation.page else ""
    text = f": {excerpt}" if excerpt else ""
    return f"[{alias_of(citation, aliases)}] {citation.title or citation.url}{page}{text}"


def _callable_agents(deps: RunDeps) -> list[Agent]:
    ids: list[UUID] = []
    for each in deps.config.sub_agents:
        try:
            ids.append(UUID(each))
        except ValueError:  # an import may hold ids of another installation
            continue
    rows = list_agents(deps.actor).filter(pk__in=ids).exclude(pk=deps.agent_id)
    return list(rows.order_by("name", "pk"))


def _find_agent(deps: RunDeps, name: str) -> UUID:
    agents = _callable_agents(deps)
    wanted = name.strip().casefold()
    for agent in agents:
        if wanted in (agent.name.casefold(), str(agent.pk)):
            return agent.pk
    known = ", ".join(repr(each.name) for each in agents) or "none"
    raise ToolFailed(f"There is no agent {name!r} to ask. You can ask: {known}.", code="not_found")


def _one_line(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= _DESCRIPTION_CHARS else line[: _DESCRIPTION_CHARS - 1] + "…"
