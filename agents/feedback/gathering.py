"""Takes down questions that found no answer, by topic."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db import transaction

from agents.constants import RunState, UnansweredState
from agents.feedback.bases import bases_behind
from agents.feedback.topics import terms_of, topic_among
from agents.models import AgentRun, RunEvent, UnansweredQuestion
from agents.runs.asker import asker_of
from core.errors import NotFound
from knowledge.models import EvidenceRow, KnowledgeBase
from knowledge.retrieval.models import embed_query

SEARCHES = ("knowledge_search", "grep_chunks")
"""Tools that look for passages; their results name those in `hits`."""
_COMPARED = 500


def found_nothing(run: AgentRun) -> bool:
    """Say whether a run ended without an answer from the bases.

    It ended with the fallback, or it searched, no search found a passage, and nothing is cited.
    """
    if run.state != RunState.DONE or run.parent_id is not None or run.conversation.is_internal:
        return False
    if run.outcome == "fallback":
        return True
    if run.answer_id and EvidenceRow.objects.filter(origin_id=run.answer_id).exists():
        return False
    rows = RunEvent.objects.filter(run=run, type="tool_call_finished", data__name__in=SEARCHES)
    searches = list(rows.values_list("data", flat=True))
    return bool(searches) and not any(_hits(data) for data in searches)


def gather(run_id: UUID) -> UnansweredQuestion | None:
    """Take a run's question down when nothing was found; a second time changes nothing."""
    rows = AgentRun.objects.select_related("conversation", "question", "agent", "user")
    run = rows.filter(pk=run_id).first()
    if run is None or not found_nothing(run):
        return None
    try:
        actor = asker_of(run)
    except NotFound:  # who asked has left: nobody waits
        return None
    base_ids = bases_behind(actor, run)
    text = run.question.text.strip()
    if not base_ids or not text:
        return None
    row = UnansweredQuestion(
        space_id=run.space_id,
        run=run,
        asker_id=run.user_id,
        question=text,
        base_ids=[str(each) for each in base_ids],
        terms=terms_of(text),
    )
    _embed(row, base_ids)  # before the transaction: a model is asked
    with transaction.atomic():
        known = UnansweredQuestion.objects.filter(run=run).first()
        if known is not None:
            return known
        row.topic_id = topic_among(row, _others(row)) or uuid4()
        row.save(force_insert=True)
    return row


def _hits(data: dict[str, object]) -> object:
    result = data.get("data")
    return result.get("hits") if isinstance(result, dict) else None


def _embed(row: UnansweredQuestion, base_ids: list[UUID]) -> None:
    """Keep the vector of the first base's model; without one words decide alone."""
    base = KnowledgeBase.objects.select_related("embedding_model").filter(pk__in=base_ids).first()
    if base is None:
        return
    found = embed_query(row.question[:2_000], [base])
    if found.vectors:
        first = found.vectors[0]
        row.vector = [round(float(each), 5) for each in first.vector]
        row.vector_identity = first.identity


def _others(row: UnansweredQuestion) -> list[UnansweredQuestion]:
    """Return open questions that were put to one of the same bases, the newest."""
    open_rows = UnansweredQuestion.objects.filter(state=UnansweredState.OPEN)
    wanted = set(row.base_ids)
    return [each for each in open_rows[:_COMPARED] if wanted & set(each.base_ids)]
