"""Contexts of recorded searches."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from core.wording import listed
from knowledge.constants import SearchDoor
from knowledge.forms import setting_label
from knowledge.models import KnowledgeBase, SearchRecord
from knowledge.pages.labels import page_label
from knowledge.searches.reading import Candidate, Recorded


def search_row(row: SearchRecord) -> dict[str, Any]:
    """Return what the list shows of a search."""
    return {
        "id": row.pk,
        "at": row.created_at,
        "door": SearchDoor(row.door).label,
        "question": row.question,
        "hits": row.hit_count,
        "tone": "bad" if not row.hit_count else "warn" if row.confident is False else "",
        "note": _note(row),
    }


def search_context(found: Recorded, base: KnowledgeBase) -> dict[str, Any]:
    """Return what `search_record.html` takes."""
    row = found.row
    total = round(sum(row.timings.values()))
    effective = row.settings.get("effective", {})
    return {
        "row": row,
        "door": SearchDoor(row.door).label,
        "is_own": found.is_own,
        "base_names": listed(each.name for each in found.bases),
        "note": _note(row),
        "numbers": [
            (_("Hits"), str(row.hit_count)),
            (_("Time"), _("%(time)s ms") % {"time": total}),
            *((setting_label("retrieval", name), str(value)) for name, value in effective.items()),
        ],
        "timings": [(name, f"{value:.1f}") for name, value in row.timings.items()],
        "candidates": [_candidate(each, row) for each in found.candidates],
        "hidden": found.hidden,
        "why_url": reverse("base_why_not", args=[base.pk]),
    }


def _note(row: SearchRecord) -> str:
    if not row.hit_count:
        return _("Nothing found")
    if row.confident is False:
        return _("Probably no answer")
    return ngettext("%(n)s passage", "%(n)s passages", row.hit_count) % {"n": row.hit_count}


def _candidate(each: Candidate, row: SearchRecord) -> dict[str, Any]:
    chunk = each.chunk
    url = reverse("document", args=[each.document_id])
    base_id = chunk.base_id if chunk else None
    return {
        "title": chunk.document.name if chunk else _("A passage that is gone or was changed"),
        "location": page_label(chunk.page_from, chunk.page_to) if chunk else "",
        "url": f"{url}?chunk={each.chunk_id}#chunk-{each.chunk_id}" if chunk else "",
        "place": str(each.final_rank) if each.final_rank else "",
        "meaning": _stage(each.dense_score, each.dense_rank),
        "words": _stage(each.keyword_score, each.keyword_rank),
        "fused": "" if each.fused_rank is None else f"#{each.fused_rank}",
        "rerank": _stage(each.rerank_score, each.rerank_rank),
        "end": _end(each),
        "tone": "ok" if each.final_rank and each.given is not False else "",
        "why_url": f"{reverse('base_why_not', args=[base_id])}?search={row.pk}&chunk={each.chunk_id}"
        if base_id
        else "",
    }


def _stage(score: float | None, rank: int | None) -> str:
    if score is None:
        return "–"
    return f"{score:.2f}" + (f" #{rank}" if rank else "")


def _end(each: Candidate) -> str:
    if each.final_rank is None:
        return each.reason or each.dropped_by
    if each.given is False:
        return _("found, not read by the model")
    return _("read by the model") if each.given else _("found")
