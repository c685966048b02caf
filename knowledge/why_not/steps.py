"""Where a search itself lost a passage: as a candidate, at a threshold, by its place, in the context.

The stages of the trace are read by their names, so that a new one is told as soon as it is recorded.
"""

from __future__ import annotations

import math
import re
from uuid import UUID

from django.utils.translation import gettext as _

from core.wording import listed
from knowledge.base_settings import RetrievalOptions
from knowledge.models import Chunk
from knowledge.queries import get_chunks
from knowledge.retrieval.hits import CandidateTrace, Retrieval
from knowledge.retrieval.settings import MAXIMUM_HITS
from knowledge.why_not import remedies
from knowledge.why_not.context import context_rule
from knowledge.why_not.ranks import DEEPEST, ranks_of
from knowledge.why_not.verdicts import STAGES, Fact, Remedy, Stage, Verdict
from knowledge.why_not.way import Way

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SCORE_OF: dict[str, str] = {
    "dense_threshold": "dense_score",
    "keyword_threshold": "keyword_score",
    "rerank_threshold": "rerank_score",
}


def step_verdict(way: Way) -> Verdict | None:
    """Say at which step of the search the passage was lost; None without a question.

    A passage that is a hit is `found`, or was left out of what a model reads.
    """
    if way.found is None:
        return None
    if way.trace is None:
        return _no_candidate(way)
    if way.trace.dropped_by is None:
        return _hit(way, way.found, way.trace)
    return _dropped(way, way.found, way.trace)


def _no_candidate(way: Way) -> Verdict | None:
    if not way.searched.chunks.filter(pk=way.chunk.pk).exists():
        return None  # it is not searched at all; another check has said why
    ranks = ranks_of(way.searched, way.chunk.pk, vectors=way.vectors.vectors, terms=way.terms)
    behind = _("behind %(rank)s") % {"rank": f"{DEEPEST:,}"}
    facts = [Fact(label=_("Rank by meaning"), value=str(ranks.dense or behind))]
    if ranks.dense_score is not None:
        facts.append(Fact(label=_("Likeness of meaning"), value=f"{ranks.dense_score:.3f}"))
    by_words = str(ranks.keyword) if ranks.keyword else _("none of the rarest words")
    facts += [
        Fact(label=_("Rank by words"), value=by_words),
        Fact(label=_("Words of the question in it"), value=f"{ranks.coverage:.0%}"),
    ]
    if ranks.missing:
        facts.append(Fact(label=_("Words that it lacks"), value=listed(ranks.missing[:12])))
    facts += [Fact(label=_("Warning"), value=each) for each in way.vectors.warnings]
    return Verdict(stage="no_candidate", facts=tuple(facts), remedies=_better_text(way))


def _hit(way: Way, found: Retrieval, trace: CandidateTrace) -> Verdict:
    facts = (Fact(label=_("Place"), value=str(trace.final_rank)), *_scores(trace))
    if _is_given(way, found):
        return Verdict(stage="found", facts=facts, remedies=(remedies.see_passage(way.chunk),))
    rule = context_rule()
    links: tuple[Remedy, ...] = ()
    if rule is not None:
        label, url = rule.remedy()
        links = (Remedy(label=label, url=url),)
    return Verdict(stage="context", facts=facts, remedies=links)


def _is_given(way: Way, found: Retrieval) -> bool:
    """Say whether a model got to read the hit, where that is asked."""
    if way.record is not None:
        given = {each["chunk_id"]: each.get("given") for each in way.record.hits}
        return given.get(str(way.chunk.pk)) is not False
    rule = context_rule()
    if not way.for_answer or rule is None:
        return True
    return way.chunk.pk in rule.given(found)


def _dropped(way: Way, found: Retrieval, trace: CandidateTrace) -> Verdict:
    stage: Stage = next((each for each in STAGES if each == trace.dropped_by), "limit")
    place = _place(found, trace)
    facts = [*_scores(trace)]
    if stage == "limit":
        facts.insert(0, Fact(label=_("Place"), value=str(place)))
    before, after = trace.fused_rank, trace.rerank_rank
    if before is not None and after is not None and after > before:
        moved = _("from %(before)s to %(after)s") % {
            "before": before,
            "after": after,
        }
        facts.append(Fact(label=_("Moved down by reranking"), value=moved))
    links = [*_adjust(way, stage, trace, place)]
    for better in _better(way, trace):
        name = f"{better.document.name} #{better.position + 1}"
        facts.append(Fact(label=_("In favor of"), value=name))
        links.append(remedies.see_passage(better, _("Open the other passage")))
    if stage == "limit":
        links += _better_text(way)
    return Verdict(stage=stage, facts=tuple(facts), remedies=tuple(links))


def _adjust(way: Way, stage: Stage, trace: CandidateTrace, place: int) -> tuple[Remedy, ...]:
    """Return the change of the base's settings that lets the passage through."""
    base = way.chunk.base
    if stage == "limit" and place <= MAXIMUM_HITS:
        label = _("Let searches return %(n)s passages") % {"n": place}
        return remedies.set_default(way.actor, base, label, limit=place)
    score = getattr(trace, _SCORE_OF.get(stage, ""), None)
    if stage in RetrievalOptions.model_fields and isinstance(score, float):
        lower = max(0.0, math.floor(score * 100) / 100)
        label = _("Lower the threshold to %(value)s") % {"value": f"{lower:.2f}"}
        return remedies.set_default(way.actor, base, label, **{stage: lower})
    if stage == "duplicate":
        return ()
    return remedies.base_settings(way.actor, base)


def _better_text(way: Way) -> tuple[Remedy, ...]:
    return (
        *remedies.add_question(way.actor, way.chunk, way.question),
        *remedies.edit_passage(way.actor, way.chunk),
        *remedies.edit_entry(way.chunk),
    )


def _better(way: Way, trace: CandidateTrace) -> list[Chunk]:
    ids = [UUID(each) for each in _ID.findall(trace.reason)]
    return get_chunks(way.actor, [each for each in ids if each != way.chunk.pk])


def _place(found: Retrieval, trace: CandidateTrace) -> int:
    """Return its place among all candidates, which are in their final order."""
    return found.trace.candidates.index(trace) + 1


def _scores(trace: CandidateTrace) -> list[Fact]:
    """Return what each stage thought of it."""
    values = (
        (_("Meaning"), trace.dense_score, trace.dense_rank),
        (_("Words"), trace.keyword_score, trace.keyword_rank),
        (_("Rerank"), trace.rerank_score, trace.rerank_rank),
    )
    return [
        Fact(label=label, value=f"{score:.3f}" + (f" · #{rank}" if rank else ""))
        for label, score, rank in values
        if score is not None
    ]
