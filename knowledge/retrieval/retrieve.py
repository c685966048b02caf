"""The one search of all doors: page, API, command, quick answer and tools.

Order of things: scope, terms, question vectors, lists of candidates (`search`), their order
(`ordering`), the place of another language (`places`), what is read (`results`), trace.
"""

from __future__ import annotations

from dataclasses import replace

from accounts.access import Actor
from core.errors import Invalid
from knowledge.base_settings import RetrievalOptions
from knowledge.retrieval.candidates import Candidates
from knowledge.retrieval.confidence import is_confident
from knowledge.retrieval.dense import EXACT_LIMIT
from knowledge.retrieval.fuse import fuse
from knowledge.retrieval.hits import Retrieval, RetrievalTrace
from knowledge.retrieval.keyword import WeighedTerms, weigh_terms
from knowledge.retrieval.languages import in_another_language
from knowledge.retrieval.models import (
    QueryVectors,
    embed_query,
    find_named_rerank_model,
    find_rerank_model,
)
from knowledge.retrieval.ordering import put_in_order
from knowledge.retrieval.places import (
    lacks_other_language,
    nearest_in_other_language,
    with_last_place,
)
from knowledge.retrieval.results import make_hits
from knowledge.retrieval.scope import Scope, Searched, resolve
from knowledge.retrieval.search import find_candidates
from knowledge.retrieval.settings import RetrievalSettings, effective
from knowledge.retrieval.trace import Course, Stopwatch, trace_candidates
from providers.contracts.embedding import RerankModel

MAXIMUM_QUERY_CHARACTERS = 10_000


def retrieve(
    actor: Actor, *, query: str, scope: Scope, settings: RetrievalSettings | None = None
) -> Retrieval:
    """Return the best passages for a question that the actor may see, best first.

    A model that fails makes the search worse, never impossible: `warnings` say so.

    Raises:
        Invalid: the question is empty or too long, or a setting is out of its range.
        NotFound: the scope is strict and names a base or document that the actor may not see.
    """
    question = clean_query(query)
    watch = Stopwatch()
    with watch.stage("scope"):
        where = resolve(actor, scope, question=question)
        options = effective(settings, where.bases)
    if not where.bases:
        return _nothing(question, where, watch)
    with watch.stage("analyse"):
        terms = weigh_terms(question, where)
        exact = _permitted_at_most(where, terms) <= EXACT_LIMIT
    with watch.stage("embed"):
        bases = () if options.fusion == "keyword" else where.bases
        model_id = settings.embedding_model_id if settings else None
        vectors = embed_query(question, bases, model_id=model_id)
    found, told = find_candidates(
        where,
        question,
        vectors=vectors,
        terms=terms,
        options=options,
        exact=exact,
        watch=watch,
    )
    course, decision, warnings = put_in_order(
        question,
        found,
        options,
        terms=terms,
        model=lambda: _rerank_model(actor, settings),
        watch=watch,
    )
    with watch.stage("expand"):
        found, course = _keep_place(
            question, where, found, course, vectors=vectors, options=options, exact=exact
        )
        hits = make_hits(
            where,
            course.final[: options.limit],
            found.chunks,
            rerank_scores=course.reranked.scores,
            neighbours=options.neighbours,
        )
    best = course.final[0].candidate if course.final else None
    foreign = bool(hits) and in_another_language(
        question, hits[0].text, coverage=hits[0].keyword_score
    )
    return Retrieval(
        query=question,
        hits=hits,
        confident=None if foreign else is_confident(best),
        other_language=foreign,
        trace=RetrievalTrace(
            terms=terms.terms,
            matched_by=terms.choose().terms,
            passages=terms.passages,
            exact=exact,
            rerank_mode=decision.mode,
            rerank_reason=decision.reason,
            candidates=trace_candidates(course),
            fusion=options.fusion,
            language_place=course.language_place,
        ),
        timings_ms=watch.timings_ms,
        warnings=(*where.warnings, *vectors.warnings, *told, *warnings),
    )


def clean_query(query: str) -> str:
    """Return the question without what cannot be asked for.

    Raises:
        Invalid: nothing is left, or it is too long.
    """
    question = " ".join(query.replace("\x00", " ").split())
    question = question.encode("utf-8", "replace").decode()
    if not question:
        raise Invalid("The question is empty; type what you look for.")
    if len(question) > MAXIMUM_QUERY_CHARACTERS:
        raise Invalid(
            f"The question has {len(question):,} characters; {MAXIMUM_QUERY_CHARACTERS:,} are the"
            " most. Ask for one thing at a time, or add the text as a document."
        )
    return question


def _permitted_at_most(where: Searched, terms: WeighedTerms) -> int:
    if where.document_chunks is None:
        return terms.passages
    return min(terms.passages, where.document_chunks)


def _rerank_model(actor: Actor, settings: RetrievalSettings | None) -> RerankModel | None:
    """Return the model that the caller names, else the space's own."""
    if settings is not None and settings.rerank_model_id is not None:
        return find_named_rerank_model(settings.rerank_model_id)
    return find_rerank_model(actor.space_id)


def _keep_place(
    question: str,
    where: Searched,
    found: Candidates,
    course: Course,
    *,
    vectors: QueryVectors,
    options: RetrievalOptions,
    exact: bool,
) -> tuple[Candidates, Course]:
    """Give the last place to another language where no hit answers; see `places`.

    Not where there is one place only, or where the rerank model has to agree to every hit.
    """
    hits = course.final[: options.limit]
    alone = options.limit < 2 or options.rerank_threshold > 0 or options.fusion == "keyword"
    if alone or not lacks_other_language(question, hits, found):
        return found, course
    other = nearest_in_other_language(
        question,
        where,
        vectors=vectors.vectors,
        terms=course.terms,
        exact=exact,
        least=options.dense_threshold,
    )
    if other is None:
        return found, course
    (foreign,) = fuse(other.candidates, spans=found.spans, options=options)
    known = (each for each in course.final if each.candidate.chunk_id == foreign.candidate.chunk_id)
    foreign = next(known, foreign)
    final = with_last_place(course.final, foreign, limit=options.limit)
    chunks = {**other.chunks, **found.chunks}
    place = foreign.candidate.chunk_id
    return replace(found, chunks=chunks), replace(course, final=final, language_place=place)


def _nothing(question: str, where: Searched, watch: Stopwatch) -> Retrieval:
    """Return the result of a search that may look nowhere."""
    return Retrieval(
        query=question,
        hits=(),
        confident=False,
        other_language=False,
        trace=RetrievalTrace(
            terms=(),
            matched_by=(),
            passages=0,
            exact=True,
            rerank_mode="none",
            rerank_reason="There is nothing to order.",
            candidates=(),
        ),
        timings_ms=watch.timings_ms,
        warnings=where.warnings,
    )
