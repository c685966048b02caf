"""What agents put into the copy of a space: agents for all, conversations and memory of its person."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from uuid import UUID

from django.db import models

from accounts.access import Actor
from accounts.platform.export import (
    ExportFile,
    Row,
    Table,
    export_files,
    export_table,
    leave_out,
)
from agents.memory.sources import visible_documents
from agents.models import (
    Agent,
    AgentRun,
    AgentSchedule,
    AgentShare,
    AgentVersion,
    AnswerFeedback,
    Approval,
    ApprovalSettings,
    Artifact,
    Budget,
    Conversation,
    FamiliarDocument,
    HiddenAgent,
    MemoryItem,
    MemoryOwner,
    MemorySettings,
    MemoryTombstone,
    MemoryTopic,
    MemoryUse,
    Message,
    MessageBlob,
    ModelUsage,
    RunEvent,
    SentenceVerdict,
    StoredResult,
    SuggestionEvent,
    SuggestionSet,
    ToolCall,
    UnansweredQuestion,
)
from agents.services.artifacts import FOLDER
from agents.tracing.closed import closed_runs
from agents.tracing.sight import closed_note
from knowledge.access.queries import closed_documents
from knowledge.storage import open_file


def _open_messages(actor: Actor, rows: list[Row]) -> list[Row]:
    """Take out the texts of answers whose sources are closed, and the names of closed documents."""
    ids = [row["id"] for row in rows]
    runs = AgentRun.objects.filter(answer__in=ids)
    by_answer = dict(runs.values_list("answer_id", "pk"))
    closed = closed_runs(actor, by_answer.values())
    named = {each["id"] for row in rows for each in row["mentions"]}
    hidden = {str(each) for each in closed_documents(actor, [UUID(each) for each in named])}
    return [
        {
            **row,
            "text": closed_note() if by_answer.get(row["id"]) in closed else row["text"],
            "mentions": [each for each in row["mentions"] if each["id"] not in hidden],
        }
        for row in rows
    ]


def _open_artifacts(actor: Actor, rows: list[Row]) -> list[Row]:
    closed = closed_runs(actor, {row["run_id"] for row in rows})
    return [row for row in rows if row["run_id"] not in closed]


def _open_verdicts(actor: Actor, rows: list[Row]) -> list[Row]:
    """Leave out verdicts on closed answers; what sources say instead stays with the sources."""
    runs = AgentRun.objects.filter(answer__in={row["message_id"] for row in rows})
    by_answer = dict(runs.values_list("answer_id", "pk"))
    closed = closed_runs(actor, by_answer.values())
    return [
        {**row, "reasons": [{**each, "found": ""} for each in row["reasons"]]}
        for row in rows
        if by_answer.get(row["message_id"]) not in closed
    ]


def _open_memories(actor: Actor, rows: list[Row]) -> list[Row]:
    seen = visible_documents(actor, (each for row in rows for each in row["document_ids"]))
    return [row for row in rows if set(row["document_ids"]) <= seen]


_OF_THE_SPACE: tuple[type[models.Model], ...] = (
    Agent,
    AgentVersion,
    AgentShare,
    HiddenAgent,
    ApprovalSettings,
    MemorySettings,
    Budget,
    ModelUsage,
)
for _model in _OF_THE_SPACE:
    export_table(Table(model=_model))
export_table(Table(model=Conversation, own="user_id"))
export_table(Table(model=Message, own="conversation__user_id", as_seen=_open_messages))
export_table(
    Table(model=SentenceVerdict, own="message__conversation__user_id", as_seen=_open_verdicts)
)
export_table(Table(model=AgentSchedule, own="user_id"))
export_table(Table(model=AnswerFeedback, own="user_id"))
export_table(Table(model=UnansweredQuestion, own="asker_id"))
export_table(Table(model=Artifact, own="conversation__user_id", as_seen=_open_artifacts))
export_table(Table(model=MemoryItem, own="owner__user_id", as_seen=_open_memories))
export_table(Table(model=MemoryTopic, own="owner__user_id"))
leave_out(AgentRun, "how an answer came about; it may quote what other spaces share")
leave_out(RunEvent, "how an answer came about; it may quote what other spaces share")
leave_out(ToolCall, "how an answer came about; it may quote what other spaces share")
leave_out(StoredResult, "how an answer came about; it may quote what other spaces share")
leave_out(MessageBlob, "how an answer came about; it may quote what other spaces share")
leave_out(Approval, "about calls of runs, which are not copied")
leave_out(MemoryOwner, "a switch and how far distillation has read")
leave_out(MemoryTombstone, "hashes of what was forgotten")
leave_out(MemoryUse, "about runs, which are not copied")
leave_out(FamiliarDocument, "counts of citations")
leave_out(SuggestionSet, "made again where it is needed")
leave_out(SuggestionEvent, "about suggestions, which are not copied")


@export_files
def published_files(actor: Actor) -> Iterator[ExportFile]:
    """Yield the files that agents made for the person and that are open to them."""
    rows = Artifact.objects.filter(conversation__user_id=actor.user_id or 0).order_by("pk")
    found: list[Row] = [dict(row) for row in rows.values("pk", "run_id", "name", "content_hash")]
    for row in _open_artifacts(actor, found):
        yield ExportFile(
            path=f"artifacts/{row['pk']}/{row['name'].replace('/', '_')}",
            open=functools.partial(open_file, actor.space_id, row["content_hash"], folder=FOLDER),
        )
