"""The search test of a base of questions and answers: which entries a question finds, and how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from accounts.access import Actor
from knowledge.faq.negative import entries_refusing
from knowledge.faq.normal_form import normal_form, question_hash
from knowledge.faq.queries import list_entries
from knowledge.faq.services import get_faq_base
from knowledge.models import Chunk, FaqEntry, FaqQuestion
from knowledge.retrieval.dense import search_dense
from knowledge.retrieval.keyword import WeighedTerms, search_keywords, terms_of, weigh_terms
from knowledge.retrieval.models import QueryVectors, embed_query
from knowledge.retrieval.retrieve import clean_query
from knowledge.retrieval.scope import Scope, Searched, resolve
from knowledge.text.analyze import analyze

MatchType = Literal["exact", "meaning", "words"]
THRESHOLD = 0.7
COUNT = 10
MOST = 50
_PASSAGES = 500
"""With up to a hundred passages an entry, enough for several of them at the very least."""


@dataclass(frozen=True, kw_only=True)
class FaqSearch:
    """What is asked, and which entries may answer."""

    question: str
    threshold: float = THRESHOLD
    """Least score of an entry that is found by meaning, 0..1."""
    count: int = COUNT
    first_tag_ids: tuple[int, ...] = ()
    """Entries with one of these come before all others."""
    second_tag_ids: tuple[int, ...] = ()
    """And those with one of these before the rest."""
    only_recommended: bool = False


@dataclass(frozen=True, kw_only=True)
class FaqHit:
    """An entry that was found."""

    entry: FaqEntry
    score: float
    """0..1: 1 for the very question, else the cosine, else the share of the question's words."""
    match_type: MatchType
    matched_question: str
    """Which of its questions is nearest to what was asked."""


@dataclass(frozen=True, kw_only=True)
class FaqResult:
    """The result of one search test."""

    question: str
    hits: tuple[FaqHit, ...]
    refused: tuple[FaqEntry, ...]
    """Entries that have this very question among their negative ones."""
    below: int
    """How many more were near, but below the threshold."""
    warnings: tuple[str, ...]


def search_entries(actor: Actor, *, base_id: UUID, wanted: FaqSearch) -> FaqResult:
    """Return the entries that a question finds, best first, as far as the actor sees them.

    Raises:
        NotFound: there is no such base of questions and answers.
        Invalid: the question is empty or too long.
    """
    base = get_faq_base(actor, base_id)
    question = clean_query(wanted.question)
    where = resolve(actor, Scope(base_ids=(base.pk,)), question=question)
    if wanted.only_recommended:
        where = replace(where, chunks=where.chunks.filter(faq_entry__is_recommended=True))
    terms, vectors = weigh_terms(question, where), embed_query(question, where.bases)
    found: dict[UUID, tuple[float, MatchType, str]] = {}
    below: set[UUID] = set()
    for entry_id, score, kind, asked in _matches(question, where, vectors, terms):
        if kind == "meaning" and score < wanted.threshold:
            below.add(entry_id)
        elif entry_id not in found and (kind != "words" or entry_id not in below):
            found[entry_id] = (score, kind, asked)
    rows = {entry.pk: entry for entry in list_entries(actor, base.pk).filter(pk__in=list(found))}
    hits = [
        FaqHit(entry=rows[pk], score=score, match_type=kind, matched_question=asked)
        for pk, (score, kind, asked) in found.items()
        if pk in rows
    ]
    hits.sort(key=lambda hit: (_rank(hit.entry, wanted), -hit.score, hit.entry.number))
    refusing = entries_refusing(question, [base])
    return FaqResult(
        question=question,
        hits=tuple(_named(question, hit) for hit in hits[: min(wanted.count, MOST)]),
        refused=tuple(list_entries(actor, base.pk).filter(pk__in=refusing)),
        below=len(below - found.keys()),
        warnings=(*where.warnings, *vectors.warnings),
    )


def _matches(
    question: str, where: Searched, vectors: QueryVectors, terms: WeighedTerms
) -> Iterator[tuple[UUID, float, MatchType, str]]:
    """Yield entries with score, kind and passage's question: exact ones, by meaning, by words."""
    exact = FaqQuestion.objects.filter(
        base_id__in=where.base_ids, text_hash=question_hash(question)
    ).exclude(kind="negative")
    seen = where.chunks.filter(faq_entry_id__in=exact.values("entry_id"))
    for entry_id in seen.order_by().values_list("faq_entry_id", flat=True).distinct():
        if entry_id is not None:
            yield entry_id, 1.0, "exact", ""
    dense = [
        hit
        for vector in vectors.vectors
        for hit in search_dense(where, vector, limit=_PASSAGES, exact=True)
    ]
    ranked = search_keywords(where, terms, limit=_PASSAGES)
    chunks = _rows(where, [*(hit.chunk_id for hit in dense), *ranked])
    for hit in sorted(dense, key=lambda each: -each.score):
        chunk = chunks.get(hit.chunk_id)
        if chunk is not None and chunk.faq_entry_id is not None:
            score = min(1.0, max(0.0, hit.score))
            yield chunk.faq_entry_id, score, "meaning", str(chunk.detail.get("question", ""))
    words = terms_of(ranked)
    for chunk_id in ranked:
        chunk = chunks.get(chunk_id)
        if chunk is not None and chunk.faq_entry_id is not None:
            coverage = terms.coverage(words.get(chunk_id, frozenset()))
            yield chunk.faq_entry_id, coverage, "words", str(chunk.detail.get("question", ""))


def _rows(where: Searched, chunk_ids: Sequence[UUID]) -> dict[UUID, Chunk]:
    return {chunk.pk: chunk for chunk in where.chunks.filter(pk__in=chunk_ids)}


def _rank(entry: FaqEntry, wanted: FaqSearch) -> int:
    if entry.tag_id in wanted.first_tag_ids:
        return 0
    return 1 if entry.tag_id in wanted.second_tag_ids else 2


def _named(question: str, hit: FaqHit) -> FaqHit:
    """Say which question matched: the same one, else the one with most words in common."""
    questions = [hit.entry.standard_question, *hit.entry.similar_questions]
    if hit.match_type == "exact":
        form = normal_form(question)
        same = next((each for each in questions if normal_form(each) == form), questions[0])
        return replace(hit, matched_question=same)
    if hit.matched_question and hit.matched_question != hit.entry.standard_question:
        return hit  # a passage of its own, which the search has found
    asked = set(analyze(question))
    best = max(questions, key=lambda each: _likeness(asked, set(analyze(each))))
    return replace(hit, matched_question=best)


def _likeness(asked: set[str], question: set[str]) -> float:
    either = asked | question
    return len(asked & question) / len(either) if either else 0.0
