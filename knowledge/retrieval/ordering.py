"""Puts the candidates into their order: thresholds, fusion, reranking, weights, duplicates, variety."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from knowledge.base_settings import RetrievalOptions
from knowledge.retrieval.candidates import Candidates
from knowledge.retrieval.diversity import diversify
from knowledge.retrieval.expand import drop_duplicates
from knowledge.retrieval.fuse import Ranked, fuse
from knowledge.retrieval.keyword import WeighedTerms
from knowledge.retrieval.rerank import Decision, Reranked, decide, rerank
from knowledge.retrieval.thresholds import Weak, drop_below, drop_weak
from knowledge.retrieval.trace import Course, Stopwatch
from knowledge.retrieval.weights import weigh_kinds
from providers.contracts.embedding import RerankModel
from providers.contracts.errors import ModelError


def put_in_order(
    question: str,
    found: Candidates,
    options: RetrievalOptions,
    *,
    terms: WeighedTerms,
    model: Callable[[], RerankModel | None],
    watch: Stopwatch,
) -> tuple[Course, Decision, list[str]]:
    """Return the candidates after each stage, how they were reranked, and warnings."""
    with watch.stage("fuse"):
        strong, weak = drop_weak(
            found.candidates, dense=options.dense_threshold, keyword=options.keyword_threshold
        )
        fused = fuse(strong, spans=found.spans, options=options)
    with watch.stage("rerank"):
        reranked, decision, warnings = _rerank(question, fused, found, options, model=model)
    with watch.stage("order"):
        judged, unfit, told = _judge(reranked, options)
        weighed = weigh_kinds(judged, found.chunks, options)
        kept, duplicates = drop_duplicates(
            weighed, found.hashes, question_terms=frozenset(each.term for each in terms.terms)
        )
        varied = diversify(kept, balance=options.mmr_lambda, limit=options.limit)
    course = Course(
        weak=[*unfit, *weak],
        fused=fused,
        reranked=reranked,
        kept=kept,
        varied=varied,
        final=varied,
        duplicates=duplicates,
        limit=options.limit,
        terms=terms,
        is_varied=options.mmr_lambda < 1,
    )
    return course, decision, [*warnings, *told]


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
        missing = _("The space has no rerank model; the order is the search's own.")
        warnings = [missing] if options.rerank == "always" else []
        return unchanged, Decision(mode="none", reason=missing), warnings
    try:
        done = rerank(
            chosen, mode=decision.mode, question=question, ranked=fused, texts=found.texts
        )
    except ModelError as error:
        failed = _("The rerank model failed (%(detail)s); the order is the search's own.") % {
            "detail": error.message
        }
        return unchanged, Decision(mode="none", reason=failed), [failed]
    return done, decision, []


def _judge(
    reranked: Reranked, options: RetrievalOptions
) -> tuple[list[Ranked], list[Weak], list[str]]:
    """Apply the rerank model's threshold, which means something for scores of 0 to 1 only."""
    scores = reranked.scores.values()
    if options.rerank_threshold and any(not 0 <= score <= 1 for score in scores):
        told = _(
            "The rerank model's scores do not lie between 0 and 1: its threshold was not applied."
        )
        return list(reranked.ranked), [], [told]
    kept, dropped = drop_below(reranked.ranked, reranked.scores, threshold=options.rerank_threshold)
    return kept, dropped, []
