"""Why a passage was not found: where it was lost on its way, and what helps.

Order of things: find what is meant, look at its document, search as the reader would, look at the
passage, then follow it through the search. The first thing that stands in its way is the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.actors import actor_by
from accounts.constants import MembershipState
from accounts.models import Membership
from core.errors import Invalid, NotFound
from knowledge.models import Chunk, Document, KnowledgeBase, SearchRecord
from knowledge.queries import get_base
from knowledge.retrieval.hits import CandidateTrace, Retrieval
from knowledge.retrieval.retrieve import clean_query, retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.searches.reading import get_search
from knowledge.why_not.find import Located, get_any_document, locate
from knowledge.why_not.passage import passage_problems
from knowledge.why_not.states import document_problem, no_passages, text_problem
from knowledge.why_not.steps import step_verdict
from knowledge.why_not.verdicts import Report, Verdict
from knowledge.why_not.way import Way


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is to be explained."""

    base_id: UUID
    question: str = ""
    """Blank: only whether the passage could be found at all."""
    text: str = ""
    """The passage that was expected, or a part of it."""
    document_id: UUID | None = None
    chunk_id: UUID | None = None
    user_id: int | None = None
    """For whom: another member of the space; None: for the one who asks."""
    search_id: UUID | None = None
    """A recorded search, whose settings and scope hold."""
    settings: RetrievalSettings | None = None
    for_answer: bool = False
    """Whether the passage must get before a model, too."""


def explain_missing(actor: Actor, wish: Wish) -> Report:
    """Say where the passage is lost. Nothing is changed or recorded by it.

    Raises:
        Invalid: neither a text nor a document nor a passage is named, or the question is too long.
        NotFound: the base, document, person or search is not there for the actor.
        AccessDenied: it is asked for another person by somebody who may not share the base.
    """
    base = get_base(actor, wish.base_id)
    reader = _reader(actor, base, wish.user_id)
    record = get_search(actor, wish.search_id) if wish.search_id else None
    question = record.question if record else wish.question
    question = clean_query(question) if question.strip() else ""
    scope = scope_of_record(record) if record else Scope(base_ids=(base.pk,), strict=False)
    settings = settings_of_record(record) if record else wish.settings
    located = _located(actor, base, wish, scope)
    document = located.document
    problem = text_problem(actor, base, located)
    if document is None or (problem is not None and not located.parts):
        return Report(
            verdict=problem or Verdict(stage="no_text"),
            document=document,
            nearest=located.nearest,
        )
    if (stuck := document_problem(actor, document)) is not None:
        return Report(verdict=stuck, document=document, chunk=located.chunk)
    found = retrieve(reader, query=question, scope=scope, settings=settings) if question else None
    if problem is not None:
        return _spread(problem, located, found)
    chunk = located.chunk or _best_of(document, found)
    if chunk is None:
        return Report(verdict=no_passages(actor, document), document=document, found=found)
    if reader != actor:  # what stands between another person and a passage is told with its base
        require(actor, "share", chunk.base)
    trace = trace_of(found, chunk.pk)
    way = Way(
        actor=actor,
        reader=reader,
        question=question,
        scope=scope,
        chunk=chunk,
        found=found,
        trace=trace,
        record=record,
        for_answer=wish.for_answer,
    )
    verdicts = _verdicts(way)
    return Report(
        verdict=verdicts[0],
        further=tuple(verdicts[1:]),
        document=document,
        chunk=chunk,
        found=found,
        trace=trace,
    )


def _verdicts(way: Way) -> list[Verdict]:
    """Return what stands in the way; a hit has nothing but perhaps its place in the answer."""
    step = step_verdict(way)
    if step is not None and step.stage in ("found", "context"):
        return [step]
    problems = passage_problems(way)
    blocks = any(each.stage in ("disabled", "not_permitted", "outside_scope") for each in problems)
    if step is not None and not blocks:
        problems.append(step)
    return problems or [Verdict(stage="found")]


def settings_of_record(record: SearchRecord) -> RetrievalSettings:
    """Return the wishes of a recorded search, as far as they are still known."""
    known = {field.name for field in fields(RetrievalSettings)}
    wished: dict[str, Any] = {
        name: value for name, value in record.settings.get("wished", {}).items() if name in known
    }
    if wished.get("rerank_model_id"):
        wished["rerank_model_id"] = UUID(wished["rerank_model_id"])
    return RetrievalSettings(**wished)


def scope_of_record(record: SearchRecord) -> Scope:
    """Return where a recorded search looked; what is gone since selects nothing."""
    known = {field.name for field in fields(Scope)} - {"base_ids", "strict"}
    narrowed: dict[str, Any] = {
        name: value if isinstance(value, bool | str | None) else tuple(map(_id_or_text, value))
        for name, value in record.scope.items()
        if name in known
    }
    return Scope(base_ids=tuple(record.base_ids), strict=False, **narrowed)


def _id_or_text(value: Any) -> Any:
    try:
        return UUID(value)
    except (ValueError, TypeError, AttributeError):
        return value


def trace_of(found: Retrieval | None, chunk_id: UUID) -> CandidateTrace | None:
    """Return what became of a passage in a search; None when it was no candidate."""
    rows = () if found is None else found.trace.candidates
    return next((each for each in rows if each.chunk_id == chunk_id), None)


def _reader(actor: Actor, base: KnowledgeBase, user_id: int | None) -> Actor:
    if user_id is None or user_id == actor.user_id:
        return actor
    require(actor, "share", base)
    membership = (
        Membership.objects.filter(
            space_id=base.space_id,
            user_id=user_id,
            state=MembershipState.ACTIVE,
            user__is_active=True,
        )
        .select_related("user")
        .first()
    )
    if membership is None:
        raise NotFound(_("There is no such member of this space."))
    return actor_by(membership)


def _located(actor: Actor, base: KnowledgeBase, wish: Wish, scope: Scope) -> Located:
    if wish.chunk_id is not None:
        rows = Chunk.objects.filter(pk=wish.chunk_id).select_related("document", "base")
        chunk = visible(actor, "view", rows).first()
        if chunk is None:
            raise NotFound(_("There is no such passage."))
        return Located(document=chunk.document, chunk=chunk)
    document = get_any_document(actor, wish.document_id) if wish.document_id else None
    if not wish.text.strip():
        if document is None:
            raise Invalid(_("Paste the passage that you expected, or choose a document."))
        return Located(document=document)
    ids = {base.pk, *(scope.base_ids or ())}
    located = locate(actor, wish.text, base_ids=ids, document=document)
    if document is None and located.document is None:
        seen = visible(actor, "view", KnowledgeBase.objects.exclude(pk__in=ids))
        elsewhere = set(seen.values_list("pk", flat=True))
        other = locate(actor, wish.text, base_ids=elsewhere) if elsewhere else located
        return other if other.document is not None else located
    return located


def _best_of(document: Document, found: Retrieval | None) -> Chunk | None:
    """Return the passage of a document that came furthest, else its first one."""
    rows = document.chunks.filter(kind__in=("text", "faq")).select_related("document", "base")
    traces = () if found is None else found.trace.candidates
    own = [each for each in traces if each.document_id == document.pk]
    own.sort(key=lambda each: (each.final_rank is None, each.final_rank or 0, each.fused_rank))
    if own:
        return rows.filter(pk=own[0].chunk_id).first()
    return rows.order_by("-is_enabled", "position").first()


def _spread(problem: Verdict, located: Located, found: Retrieval | None) -> Report:
    """Explain a text over several passages; when all of them are hits, it was found."""
    traces = [trace_of(found, part.pk) for part in located.parts]
    are_hits = [each is not None and each.final_rank is not None for each in traces]
    verdict = Verdict(stage="found") if found is not None and all(are_hits) else problem
    return Report(verdict=verdict, document=located.document, parts=located.parts, found=found)
