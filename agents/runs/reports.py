"""What the run of a called agent has come to, for the run that called it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from pydantic import ValidationError

from accounts.access import Actor
from agents.constants import OPEN_RUN_STATES, RunState
from agents.engine.citations import Citation
from agents.models import AgentRun, Artifact, ToolCall
from agents.runs.family import descendants_of
from agents.tracing.closed import documents_read, is_closed
from core.errors import NotFound
from knowledge.evidence import Evidence, read_evidence

EXCERPT_CHARS = 300


@dataclass(frozen=True, kw_only=True)
class CitedSource:
    """What a marker of the child's answer points to."""

    citation: Citation
    excerpt: str = ""


@dataclass(frozen=True, kw_only=True)
class ChildReport:
    """Where a child stands, and its answer when it has one."""

    run_id: UUID
    task_id: str
    """The id of the call that began it."""
    agent_name: str
    state: str
    outcome: str = ""
    reason: str = ""
    rounds: int = 0
    last_tool: str = ""
    answer: str = ""
    sources: tuple[CitedSource, ...] = ()
    """Sources the person may see now, by marker."""
    files: tuple[Artifact, ...] = ()
    document_ids: tuple[UUID, ...] = ()
    """What it and the agents it called had read: the caller's run has read it with the report."""

    @property
    def is_open(self) -> bool:
        """Whether it is not over yet."""
        return self.state in OPEN_RUN_STATES

    @property
    def waits_for_person(self) -> bool:
        """Whether a person has to decide before it goes on."""
        return self.state == RunState.WAITING_APPROVAL


def report_of(actor: Actor, run_id: UUID) -> ChildReport:
    """Return what a child has come to."""
    run = AgentRun.objects.select_related("agent", "answer").get(pk=run_id)
    last = ToolCall.objects.filter(run=run).order_by("-pk").values_list("name", flat=True).first()
    family = [run.pk, *(each.pk for each in descendants_of([run.pk]))]
    answer = None if is_closed(actor, run.pk) else run.answer
    read = documents_read(family)
    return ChildReport(
        run_id=run.pk,
        task_id=run.parent_call_id,
        agent_name=run.agent.name if run.agent else "",
        state=run.state,
        outcome=run.outcome,
        reason=run.reason,
        rounds=int((run.loop_state or {}).get("round", 0)),
        last_tool=last or "",
        answer=answer.text if answer else "",
        sources=tuple(_sources(run, read_evidence(actor, origin_id=answer.pk))) if answer else (),
        files=tuple(Artifact.objects.filter(run_id__in=family).order_by("created_at")),
        document_ids=tuple(sorted({each for found in read.values() for each in found})),
    )


def find_child(*, run_id: UUID, conversation_id: UUID, task_id: str) -> UUID:
    """Return the run below this conversation's runs that a task id names.

    Raises:
        NotFound: no run of this conversation began it.
    """
    rows = AgentRun.objects.filter(
        parent__conversation_id=conversation_id, parent_call_id=task_id
    ).order_by("-created_at")
    found = rows.filter(parent_id=run_id).first() or rows.first()
    if found is not None:
        return found.pk
    below = {str(each.pk): each for each in descendants_of(_runs_of(conversation_id))}
    if task_id in below:
        return below[task_id].pk
    known = ", ".join(each.parent_call_id for each in list(below.values())[-10:])
    raise NotFound(
        f"There is no task {task_id!r}. " + (f"Known: {known}." if known else "None was begun.")
    )


def _runs_of(conversation_id: UUID) -> Iterable[UUID]:
    rows = AgentRun.objects.filter(conversation_id=conversation_id)
    return rows.values_list("pk", flat=True)


def _sources(run: AgentRun, evidence: list[Evidence]) -> Iterable[CitedSource]:
    seen = {each.marker: each for each in evidence}
    for stored in (run.loop_state or {}).get("citations", ()):
        try:
            citation = Citation.model_validate(stored)
        except ValidationError:  # written by another version
            continue
        row = seen.get(citation.marker)
        if row is not None and row.source_state == "hidden":
            continue
        excerpt = " ".join(row.text.split())[:EXCERPT_CHARS] if row else ""
        yield CitedSource(citation=citation, excerpt=excerpt)
