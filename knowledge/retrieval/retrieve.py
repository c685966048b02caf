"""The one search of all doors: page, API, command, quick answer and tools.

Order of things: scope, terms, question vectors, nearest by meaning, best by words, candidates,
fusion, reranking, duplicates and neighbours, trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from accounts.access import Actor
from core.errors import Invalid
from knowledge.base_settings import RetrievalOptions
from knowledge.faq.answers import choose_answers
from knowledge.models import Chunk
from knowledge.retrieval.candidates import Candidates, load_candidates
from knowledge.retrieval.confidence import is_confident
from knowledge.retrieval.dense import EXACT_LIMIT, search_dense
from knowledge.retrieval.expand import drop_duplicates, read_contexts
from knowledge.retrieval.fuse import Ranked, fuse
from knowledge.retrieval.hits import Retrieval, RetrievalHit, RetrievalTrace
from knowledge.retrieval.keyword import WeighedTerms, search_keywords, weigh_terms
from knowledge.retrieval.languages import in_another_language
from knowledge.retrieval.models import (
    QueryVectors,
    embed_query,
    find_named_rerank_model,
    find_rerank_model,
)
from knowledge.retrieval.rerank import Decision, Reranked, decide, rerank
from knowledge.retrieval.scope import Scope, Searched, resolve
from knowledge.retrieval.settings import RetrievalSettings, effective
from knowledge.retrieval.trace import Course, Stopwatch, trace_candidates
from knowledge.text.pictures import without_references
from providers.contracts.embedding import RerankModel
from providers.contracts.errors import ModelError

DENSE_CANDIDATES = 50
KEYWORD_CANDIDATES = 50
MAXIMUM_QUERY_CHARACTERS = 10_000


def retrieve(
    actor: Actor, *, query: str, scope: Scope, settings: RetrievalSettings | None = None
) -> Retrieval:
    """Return the best passages for a question that the actor may see, best first.

    A model that fails makes the search worse, never impossible: `warnings` say so.

    Raises:
        Invalid: the question is empty or too long.
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
        vectors = embed_query(question, where.bases)
    found = _search(where, vectors, terms, exact=exact, watch=watch)
    with watch.stage("fuse"):
        fused = fuse(found.candidates, spans=found.spans, keyword_weight=options.keyword_weight)
    with watch.stage("rerank"):
        reranked, decision, warnings = _rerank(
            question, fused, found, options, model=lambda: _rerank_model(actor, settings)
        )
    with watch.stage("expand"):
        kept, duplicates = drop_duplicates(
            reranked.ranked,
            found.hashes,
            question_terms=frozenset(each.term for each in terms.terms),
        )
        hits = _hits(where, kept[: options.limit], found.chunks, reranked)
    course = Course(
        fused=fused,
        reranked=reranked,
        kept=kept,
        duplicates=duplicates,
        limit=options.limit,
        terms=terms,
    )
    best = kept[0].candidate if kept else None
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
        ),
        timings_ms=watch.timings_ms,
        warnings=(*where.warnings, *vectors.warnings, *warnings),
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


def _search(
    where: Searched,
    vectors: QueryVectors,
    terms: WeighedTerms,
    *,
    exact: bool,
    watch: Stopwatch,
) -> Candidates:
    """Ask both indexes and read what they found."""
    with watch.stage("dense"):
        dense = [
            hit
            for vector in vectors.vectors
            for hit in search_dense(where, vector, limit=DENSE_CANDIDATES, exact=exact)
        ]
    with watch.stage("keyword"):
        keyword = search_keywords(where, terms, limit=KEYWORD_CANDIDATES)
    with watch.stage("load"):
        return load_candidates(
            where, dense=dense, keyword=keyword, vectors=vectors.vectors, terms=terms
        )


def _rerank_model(actor: Actor, settings: RetrievalSettings | None) -> RerankModel | None:
    """Return the model that the caller names, else the space's own."""
    if settings is not None and settings.rerank_model_id is not None:
        return find_named_rerank_model(settings.rerank_model_id)
    return find_rerank_model(actor.space_id)


def _rerank(
    question: str,
    fused: Sequence[Ranked],
    found: Candidates,
    options: RetrievalOptions,
    *,
    model: Callable[[], RerankModel | None],
) -> tuple[Reranked, Decision, list[str]]:
    """Rerank as decided; when the model fails the order stays as it is, with a warning."""
    unchanged = Reranked(ranked=list(fused))
    decision = decide(options.rerank, question=question, ranked=fused, texts=found.texts)
    if decision.mode == "none":
        return unchanged, decision, []
    chosen = model()
    if chosen is None:
        missing = "The space has no rerank model; the order is the search's own."
        warnings = [missing] if options.rerank == "always" else []
        return unchanged, Decision(mode="none", reason=missing), warnings
    try:
        done = rerank(
            chosen, mode=decision.mode, question=question, ranked=fused, texts=found.texts
        )
    except ModelError as error:
        failed = f"The rerank model failed ({error.message}); the order is the search's own."
        return unchanged, Decision(mode="none", reason=failed), [failed]
    return done, decision, []


def _hits(
    where: Searched,
    ranked: Sequence[Ranked],
    chunks: Mapping[UUID, Chunk],
    reranked: Reranked,
) -> tuple[RetrievalHit, ...]:
    rows = [chunks[each.candidate.chunk_id] for each in ranked]
    contexts = read_contexts(where, rows)
    chosen = choose_answers(rows)
    return tuple(
        RetrievalHit(
            rank=rank,
            chunk_id=chunk.pk,
            document_id=chunk.document_id,
            document_name=chunk.document.name,
            base_id=chunk.base_id,
            text=without_references(chosen.get(chunk.pk, chunk.text)),
            context=without_references(chosen.get(chunk.pk) or contexts.get(chunk.pk, chunk.text)),
            marked_text=chosen.get(chunk.pk, chunk.text),
            heading_path=tuple(chunk.heading_path),
            page_from=chunk.page_from,
            page_to=chunk.page_to,
            position=chunk.position,
            content_hash=chunk.content_hash,
            document_revision=chunk.document_revision,
            score=each.score,
            dense_score=each.candidate.dense_score,
            keyword_score=each.candidate.keyword_score,
            rerank_score=reranked.scores.get(chunk.pk),
        )
        for rank, (each, chunk) in enumerate(zip(ranked, rows, strict=True), 1)
    )


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
