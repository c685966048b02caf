"""The place of evidence in another language than the question's.

A model of meaning prefers the question's own language so much that evidence in another one stands
behind any text of the own (docs/boundaries/retrieval.md has the figures). Where the hits are all of
the question's language and likely do not answer, the last of several places is kept for the nearest
passage of another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knowledge.retrieval.candidates import Candidates, load_candidates
from knowledge.retrieval.confidence import is_confident
from knowledge.retrieval.dense import DenseHit, QueryVector, search_dense
from knowledge.retrieval.fuse import Ranked
from knowledge.retrieval.keyword import WeighedTerms
from knowledge.retrieval.scope import Searched
from knowledge.text.analyze import share_language
from knowledge.text.pictures import without_references

DEPTH = 400
"""Nearest passages that are looked through."""


def lacks_other_language(question: str, hits: Sequence[Ranked], found: Candidates) -> bool:
    """Say whether all hits are in the question's language and hardly answer it."""
    if not hits or is_confident(hits[0].candidate):
        return False
    texts = (found.chunks[each.candidate.chunk_id].text for each in hits)
    return all(share_language(question, without_references(text)) for text in texts)


def nearest_in_other_language(
    question: str,
    where: Searched,
    *,
    vectors: Sequence[QueryVector],
    terms: WeighedTerms,
    exact: bool,
    least: float,
) -> Candidates | None:
    """Return the nearest passage in another language, as the one candidate; None without one.

    `least` is the cosine from which meaning names a passage.
    """
    near = [
        hit
        for vector in vectors
        for hit in search_dense(where, vector, limit=DEPTH, exact=exact)
        if hit.score >= least or not least
    ]
    near.sort(key=lambda hit: (hit.rank, hit.identity))
    foreign = _first_foreign(question, where, near)
    if foreign is None:
        return None
    found = load_candidates(where, dense=[foreign], keyword=(), vectors=vectors, terms=terms)
    # What was made of a passage may be in another language than the passage that is read.
    texts = [without_references(chunk.text) for chunk in found.chunks.values()]
    is_foreign = len(texts) == 1 and not share_language(question, texts[0])
    return found if is_foreign else None


def with_last_place(ranked: Sequence[Ranked], foreign: Ranked, *, limit: int) -> list[Ranked]:
    """Return the order with `foreign` at the last of the `limit` places, never above its place."""
    own = [each for each in ranked if each.candidate.chunk_id != foreign.candidate.chunk_id]
    before = own[: limit - 1]
    score = min(foreign.score, before[-1].score) if before else foreign.score
    return [*before, replace(foreign, score=score), *own[limit - 1 :]]


def _first_foreign(question: str, where: Searched, near: Sequence[DenseHit]) -> DenseHit | None:
    rows = where.chunks.filter(pk__in=[hit.chunk_id for hit in near]).order_by()
    texts = dict(rows.values_list("pk", "text"))
    for hit in near:
        text = without_references(texts.get(hit.chunk_id, ""))
        if text and not share_language(question, text):
            return hit
    return None
