"""Contexts of the retrieval test: what a question found, and what each step thought of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from knowledge.constants import DocumentSource
from knowledge.models import Chunk
from knowledge.pages.labels import page_label
from knowledge.pictures.shown import passages_html
from knowledge.retrieval.hits import CandidateTrace, Retrieval, RetrievalHit

_SHOWN_DROPPED = 40


def result_of(
    found: Retrieval, passages: dict[UUID, Chunk], *, why_of: UUID | None = None
) -> dict[str, Any]:
    """Return the context of `_results.html`; `passages` are the chunks of dropped candidates.

    With `why_of`, a base, each dropped one leads to its explanation there.
    """
    total = sum(found.timings_ms.values())
    count = len(found.hits)
    counted = ngettext("%(n)s passage", "%(n)s passages", count) % {"n": count}
    shown = passages_html((hit.document_id, hit.marked_text) for hit in found.hits)
    by_chunk = {each.chunk_id: each for each in found.trace.candidates}
    return {
        "summary": _("%(passages)s in %(time)s ms") % {"passages": counted, "time": round(total)},
        "counts": _counts(found),
        "hits": [
            _hit(hit, by_chunk[hit.chunk_id], html)
            for hit, html in zip(found.hits, shown, strict=True)
        ],
        "dropped": _dropped(found, passages, why_of),
        "nothing": _(
            "No passage comes near this question. Ask with other words, or add documents."
        ),
    }


def nothing(reason: str) -> dict[str, Any]:
    """Return the context of a search that was not made."""
    return {"summary": "", "counts": [], "hits": [], "dropped": [], "nothing": reason}


def dropped_ids(found: Retrieval) -> list[UUID]:
    """Return the chunks of the best candidates that are no hits."""
    dropped = [each for each in found.trace.candidates if each.final_rank is None]
    return [each.chunk_id for each in dropped[:_SHOWN_DROPPED]]


def _counts(found: Retrieval) -> list[str]:
    counts = [
        ngettext("%(n)s candidate", "%(n)s candidates", len(found.trace.candidates))
        % {"n": len(found.trace.candidates)}
    ]
    if found.other_language:
        counts.append(_("another language than the question"))
    elif found.confident is False:
        counts.append(_("probably no answer among them"))
    return [*counts, *found.warnings]


def _hit(hit: RetrievalHit, trace: CandidateTrace, html: SafeString) -> dict[str, Any]:
    return {
        "number": hit.rank,
        "title": hit.document_name,
        "location": _("Wiki") if hit.is_wiki else page_label(hit.page_from, hit.page_to),
        "url": f"{reverse('document', args=[hit.document_id])}?chunk={hit.chunk_id}"
        f"#chunk-{hit.chunk_id}",
        "text": html,
        "scores": [
            _score(_("Meaning"), hit.dense_score, _dense_percent(hit.dense_score), ""),
            _score(_("Words"), hit.keyword_score, 100 * hit.keyword_score, "m2"),
            _score(_("Rerank"), hit.rerank_score, _dense_percent(hit.rerank_score), "m3"),
        ],
        "move": _move(trace),
    }


def _score(label: str, value: float | None, percent: float, tone: str) -> dict[str, Any]:
    shown = "–" if value is None else f"{value:.2f}"
    return {"label": label, "value": shown, "percent": round(percent), "tone": tone}


def _dense_percent(value: float | None) -> float:
    """Return a length for the meter: the built-in embedder's cosines lie in 0.7..0.95."""
    if value is None:
        return 0.0
    return min(max((value - 0.7) / 0.25, 0.0), 1.0) * 100


def _move(trace: CandidateTrace) -> str:
    if trace.rerank_rank is None or trace.final_rank is None or trace.fused_rank is None:
        return ""
    moved = trace.fused_rank - trace.rerank_rank
    if moved > 0:
        return _("%(n)s up by reranking") % {"n": moved}
    return _("%(n)s down by reranking") % {"n": -moved} if moved < 0 else ""


def _dropped(
    found: Retrieval, passages: dict[UUID, Chunk], why_of: UUID | None
) -> list[dict[str, Any]]:
    rows = []
    for each in found.trace.candidates:
        chunk = passages.get(each.chunk_id)
        if each.final_rank is not None or chunk is None:
            continue
        address = reverse("document", args=[each.document_id])
        rows.append(
            {
                "title": chunk.document.name,
                "location": _("Wiki")
                if chunk.document.source == DocumentSource.WIKI
                else page_label(chunk.page_from, chunk.page_to),
                "url": f"{address}?chunk={each.chunk_id}#chunk-{each.chunk_id}",
                "reason": each.reason,
                "why_url": _why_url(why_of, found.query, each.chunk_id),
            }
        )
    return rows


def _why_url(base_id: UUID | None, question: str, chunk_id: UUID) -> str:
    if base_id is None:
        return ""
    asked = urlencode({"question": question, "chunk": str(chunk_id)})
    return f"{reverse('base_why_not', args=[base_id])}?{asked}"
