"""FAQ entries come first, and one that is the very question answers it by itself.

An entry's score is 1 when the question is one of its questions (in their normal form), else the mean
of likeness in meaning and share of the question's words: either alone is high for many entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from agents.configuration import AgentConfig
from knowledge.faq.answers import pick_answers
from knowledge.faq.normal_form import normal_form
from knowledge.models import Chunk, FaqEntry
from knowledge.retrieval.hits import RetrievalHit


@dataclass(frozen=True, kw_only=True)
class DirectAnswer:
    """An entry that answers the question by itself."""

    hit: RetrievalHit
    score: float
    text: str
    """Its answers, Markdown."""


def with_boost(hits: Sequence[RetrievalHit], config: AgentConfig) -> list[RetrievalHit]:
    """Return the hits with entries before other passages of like score, where the agent wants it."""
    if not config.faq_priority_enabled or config.faq_score_boost == 1 or not hits:
        return list(hits)
    entries = entry_ids(hits)
    if not entries:
        return list(hits)
    boosted = [
        replace(hit, score=min(1.0, hit.score * config.faq_score_boost))
        if hit.chunk_id in entries
        else hit
        for hit in hits
    ]
    return sorted(boosted, key=lambda hit: -hit.score)


def direct_answer(
    question: str, hits: Sequence[RetrievalHit], config: AgentConfig
) -> DirectAnswer | None:
    """Return the entry that answers by itself; None when none reaches the agent's threshold."""
    if not config.faq_priority_enabled or not hits:
        return None
    entries = entry_ids(hits)
    rows = FaqEntry.objects.in_bulk(set(entries.values()))
    best: DirectAnswer | None = None
    for hit in hits:
        entry = rows.get(entries.get(hit.chunk_id, UUID(int=0)))
        if entry is None:
            continue
        score = score_of(question, entry, hit)
        if score >= config.faq_direct_answer_threshold and (best is None or score > best.score):
            best = DirectAnswer(hit=hit, score=score, text="\n\n".join(pick_answers(entry)))
    return best if best is not None and best.text.strip() else None


def score_of(question: str, entry: FaqEntry, hit: RetrievalHit) -> float:
    """Return how surely the entry is what is asked: 0..1."""
    asked = normal_form(question)
    if asked in {normal_form(each) for each in (entry.standard_question, *entry.similar_questions)}:
        return 1.0
    return ((hit.dense_score or 0.0) + hit.keyword_score) / 2


def entry_ids(hits: Sequence[RetrievalHit]) -> dict[UUID, UUID]:
    """Return the entries of those hits that are passages of one, by passage."""
    rows = Chunk.objects.filter(
        pk__in=[hit.chunk_id for hit in hits], faq_entry__isnull=False
    ).values_list("pk", "faq_entry_id")
    return dict(rows)
