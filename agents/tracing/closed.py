"""Runs whose texts are closed: what a model wrote is as open as everything it had read.

A model quotes what it reads, with a citation or without. So a run's answer, thoughts, arguments and
files are open to those who may read every document that stood before the model: results of tools,
citations, and what came along from earlier turns and memories (`inherited_document_ids`, written
when the run begins). Restrictions close a text, and the end of a share; documents and bases that
are simply gone do not, for the answer outlives them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Func, JSONField, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.models import AgentRun, RunEvent
from knowledge.access.queries import closed_documents, has_closed
from knowledge.models import EvidenceRow

HOLD_SOURCES = ("tool_call_finished", "citation_added")
"""Types of events in which documents are named."""


def closed_runs(actor: Actor, run_ids: Iterable[UUID]) -> frozenset[UUID]:
    """Return those of the runs whose texts are closed to the actor now.

    Where no restriction holds for the actor, only runs are looked at that were limited to some bases,
    inherited something or are a shared agent's: no other reads what another space shares.
    """
    wanted = set(run_ids)
    if wanted and not has_closed(actor):
        own = Q(base_ids=[], document_ids=[], inherited_document_ids=[])
        own &= Q(shared_agent_id__isnull=True)
        rows = AgentRun.objects.filter(pk__in=wanted).exclude(own)
        wanted = set(rows.values_list("pk", flat=True))
    if not wanted:
        return frozenset()
    read = documents_read(wanted)
    closed = closed_documents(actor, {each for found in read.values() for each in found})
    return frozenset(run_id for run_id, found in read.items() if found & closed)


def is_closed(actor: Actor, run_id: UUID) -> bool:
    """Say whether the run's texts are closed to the actor now."""
    return bool(closed_runs(actor, [run_id]))


def documents_read(run_ids: Collection[UUID]) -> Mapping[UUID, set[UUID]]:
    """Return the documents that stood before the model in each run; few queries."""
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    events = RunEvent.objects.filter(run__in=run_ids, type__in=HOLD_SOURCES).order_by()
    for run_id, *named in _named(events):
        for each in named:
            _add(found[run_id], each)
    answers: dict[UUID, UUID] = {}
    rows = AgentRun.objects.filter(pk__in=run_ids).order_by()
    for run_id, answer_id, inherited in rows.values_list(
        "pk", "answer_id", "inherited_document_ids"
    ):
        if answer_id is not None:
            answers[answer_id] = run_id
        for each in inherited:
            _add(found[run_id], each)
    cited = EvidenceRow.objects.filter(origin_id__in=answers).order_by()
    for answer_id, document_id in cited.values_list("origin_id", "document_id").distinct():
        found[answers[answer_id]].add(document_id)
    return found


def hide_closed_mentions(actor: Actor, runs: Iterable[AgentRun]) -> None:
    """Take the names of closed documents out of what questions name; the rows are not to be saved."""
    questions = [run.question for run in runs if run.question.mentions]
    named = {each["id"] for question in questions for each in question.mentions}
    closed = {str(each) for each in closed_documents(actor, [UUID(each) for each in named])}
    for question in questions:
        question.mentions = [
            {**each, "name": _("A document you may not see")} if each["id"] in closed else each
            for each in question.mentions
        ]


def inherit(run: AgentRun, document_ids: Iterable[UUID]) -> None:
    """Add documents to those whose texts came along when the run began."""
    known = {str(each) for each in run.inherited_document_ids}
    joined = sorted(known | {str(each) for each in document_ids})
    if len(joined) > len(known):
        run.inherited_document_ids = joined
        AgentRun.objects.filter(pk=run.pk).update(inherited_document_ids=joined)


def as_sources(document_ids: Iterable[UUID]) -> list[dict[str, str]]:
    """Return documents as the data of a tool's result names them."""
    return [{"document_id": str(each)} for each in sorted(document_ids)]


def _named(events: QuerySet[RunEvent]) -> Iterable[tuple[UUID, Any, Any]]:
    """Return runs with the ids in their events: PostgreSQL reads the JSON, we get ids only.

    The two ids of a row have nothing to do with each other, and the shorter list ends in nulls.
    """
    rows = events.annotate(one=_ids_at("$.**.document_id"), of_list=_ids_at("$.**.document_ids[*]"))
    return list(rows.values_list("run_id", "one", "of_list").distinct())


def _ids_at(path: str) -> Func:
    template = f"%(function)s(%(expressions)s, '{path}')"
    return Func("data", function="jsonb_path_query", template=template, output_field=JSONField())


def _add(found: set[UUID], named: Any) -> None:
    try:
        found.add(UUID(str(named)))
    except ValueError:  # null, or something that is no id
        return
