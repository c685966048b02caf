"""What agents erase of a document: everything that was written by a model which had read it.

Nobody can tell a paraphrase from knowledge, so that the whole text of such a run goes, in all spaces:
answer, thoughts, arguments, results, files. That there was an answer, and when, stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.platform.erasure import Counts, Subject, register_beginning, register_eraser
from agents.constants import OPEN_RUN_STATES, RunState
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    ApprovalRequested,
    ApprovalResolved,
    CitationAdded,
    ModelRetry,
    PreambleMoved,
    RoundDegraded,
    RunFinished,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
    parse_event,
)
from agents.models import (
    AgentRun,
    AnswerFeedback,
    Approval,
    Artifact,
    Conversation,
    MemoryItem,
    Message,
    RunEvent,
    SentenceVerdict,
    StoredResult,
    SuggestionSet,
    ToolCall,
)
from agents.runs.store import finish_unstarted
from agents.tracing.closed import HOLD_SOURCES
from core.tenancy import space_scope
from knowledge.models import EvidenceRow

NOTE = "This was erased with a document that it rests on."
_BATCH = 500


@register_beginning("document")
def stop_readers(subject: Subject) -> None:
    """Stop the runs that have read the document: their workers can write nothing any more."""
    found = runs_that_read(UUID(subject.id))
    rows = AgentRun.objects.filter(pk__in=found, state__in=OPEN_RUN_STATES)
    for run_id, space_id in list(rows.values_list("pk", "space_id")):
        with space_scope(space_id), transaction.atomic():
            run = AgentRun.objects.select_for_update().get(pk=run_id)
            finish_unstarted(run, outcome="stopped", reason="cancelled", detail=NOTE)


def may_still_write(_: Subject, since: datetime) -> bool:
    """Say whether a run that began before has a worker: what it read may not be stored yet."""
    return AgentRun.objects.filter(state=RunState.RUNNING, started_at__lt=since).exists()


@register_eraser("document", name="agents.document", unsettled=may_still_write)
def erase_document(subject: Subject) -> Counts:
    """Erase memories about the document, questions made from it, and the texts of its readers."""
    document_id = UUID(subject.id)
    found = runs_that_read(document_id)
    counts = {
        "agents.MemoryItem": _erase_memories(document_id),
        "agents.SuggestionSet (questions)": _erase_questions(document_id),
        "agents.Message (mentions)": _erase_mentions(document_id),
        **empty_runs(found),
    }
    rows = AgentRun.objects.filter(pk__in=found)
    rows.update(document_ids=[], inherited_document_ids=[])
    return counts


def runs_that_read(document_id: UUID) -> set[UUID]:
    """Return the runs of all spaces before whose model the document stood, with those they called."""
    wanted = str(document_id)
    found = set(_naming(RunEvent.objects.filter(type__in=HOLD_SOURCES), "data", wanted))
    found |= set(_naming(ToolCall.objects.all(), "result", wanted))
    named = Q(inherited_document_ids__contains=[wanted]) | Q(document_ids__contains=[wanted])
    answers = EvidenceRow.objects.filter(document_id=document_id).values("origin_id")
    rows = AgentRun.objects.filter(named | Q(answer__in=answers))
    found |= set(rows.values_list("pk", flat=True))
    newest = found
    while newest:
        called = AgentRun.objects.filter(parent__in=newest).exclude(pk__in=found)
        newest = set(called.values_list("pk", flat=True))
        found = found | newest
    return found


def empty_runs(run_ids: Collection[UUID]) -> dict[str, int]:
    """Take every text that a model wrote or read out of these runs."""
    of_runs = {"run__in": list(run_ids)}
    answers = Message.objects.filter(answered_run__in=run_ids)
    tasks = Message.objects.filter(run__in=run_ids, conversation__is_internal=True)
    inner = Conversation.objects.filter(runs__in=run_ids, is_internal=True)
    counts = {
        "agents.SuggestionSet": SuggestionSet.objects.filter(message__in=answers).delete()[0],
        "agents.StoredResult": StoredResult.objects.filter(**of_runs).delete()[0],
        "agents.Artifact": Artifact.objects.filter(**of_runs).delete()[0],
        "agents.ToolCall": ToolCall.objects.filter(**of_runs).delete()[0],
        "agents.RunEvent (text)": _empty_events(RunEvent.objects.filter(**of_runs)),
        "agents.Message (text)": answers.exclude(text="").exclude(text=NOTE).update(text=NOTE)
        + tasks.exclude(text=NOTE).update(text=NOTE),
    }
    # Behind the texts: a check that read one before may have written until now.
    verdicts = SentenceVerdict.objects.filter(message__answered_run__in=run_ids)
    counts["agents.SentenceVerdict"] = verdicts.delete()[0]
    AnswerFeedback.objects.filter(**of_runs).exclude(words="").update(words="")
    Conversation.objects.filter(pk__in=list(inner.values_list("pk", flat=True))).update(title="")
    Approval.objects.filter(**of_runs).update(
        title="", reason="", risks=[], arguments={}, edited_arguments=None, comment=""
    )
    AgentRun.objects.filter(pk__in=run_ids).update(loop_state={}, reason="")
    return counts


def erased(event: AgentEvent) -> AgentEvent:
    """Return the event without any text that a model wrote or read."""
    match event:
        case ThoughtDelta() | PreambleMoved() | AnswerDelta():
            return event.model_copy(update={"text": ""})
        case AnswerFinished():
            return event.model_copy(update={"text": NOTE if event.text else ""})
        case RunFinished():
            return event.model_copy(update={"answer": NOTE if event.answer else "", "detail": ""})
        case ToolCallStarted():
            return event.model_copy(update={"arguments": {}, "title": event.name})
        case ToolCallFinished():
            return event.model_copy(update={"output": "", "summary": NOTE, "data": {}})
        case ApprovalRequested():
            nothing = {"arguments": {}, "title": event.name, "reason": "", "risks": ()}
            return event.model_copy(update=nothing)
        case ApprovalResolved():
            return event.model_copy(update={"comment": ""})
        case CitationAdded():
            return event.model_copy(update={"title": "", "url": ""})
        case RoundDegraded():
            return event.model_copy(update={"detail": ""})
        case ModelRetry():
            return event.model_copy(update={"reason": ""})
        case _:
            return event


def _naming(rows: QuerySet, field: str, wanted: str) -> Iterable[UUID]:  # type: ignore[type-arg]  # of two models
    """Return the runs of rows whose JSON holds the id somewhere; reads the whole table."""
    text = Cast(field, TextField())
    found = rows.order_by().annotate(whole=text).filter(whole__contains=wanted)
    ids: Iterable[UUID] = found.values_list("run_id", flat=True).distinct()
    return ids


def _empty_events(rows: QuerySet[RunEvent]) -> int:
    changed: list[RunEvent] = []
    for row in rows.order_by("pk").iterator(chunk_size=_BATCH):
        event = parse_event(row.data)
        emptied = erased(event)
        if emptied != event:
            row.data = emptied.model_dump(mode="json")
            changed.append(row)
    RunEvent.objects.bulk_update(changed, ["data"], batch_size=_BATCH)
    return len(changed)


def _erase_memories(document_id: UUID) -> int:
    rows = MemoryItem.objects.filter(document_ids__contains=[str(document_id)])
    older = MemoryItem.objects.filter(superseded_by__in=rows.values("pk"))
    ids = {*rows.values_list("pk", flat=True), *older.values_list("pk", flat=True)}
    MemoryItem.objects.filter(pk__in=ids).delete()
    return len(ids)


def _erase_questions(document_id: UUID) -> int:
    """Take questions that were made from the document out of all sets."""
    wanted = str(document_id)
    rows = list(SuggestionSet.objects.filter(questions__contains=[{"document_ids": [wanted]}]))
    for row in rows:
        kept = [each for each in row.questions if wanted not in each.get("document_ids", ())]
        SuggestionSet.objects.filter(pk=row.pk).update(questions=kept)
    return len(rows)


def _erase_mentions(document_id: UUID) -> int:
    """Take the document's name out of questions that mention it."""
    wanted = str(document_id)
    rows = list(Message.objects.filter(mentions__contains=[{"id": wanted}]))
    for row in rows:
        kept = [{**each, "name": ""} if each.get("id") == wanted else each for each in row.mentions]
        Message.objects.filter(pk=row.pk).update(mentions=kept)
    return len(rows)
