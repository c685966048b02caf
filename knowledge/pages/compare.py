"""Two settings side by side: what moved between them, and the offer to keep one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts.access import Actor, may
from core.wording import listed
from knowledge.base_settings import base_settings_of
from knowledge.forms import setting_label
from knowledge.models import KnowledgeBase
from knowledge.retrieval.hits import Retrieval


def compared(
    first: dict[str, Any], second: dict[str, Any], found: Retrieval, other: Retrieval
) -> None:
    """Mark in both contexts of results which passages are elsewhere in the other."""
    first["label"], second["label"] = "A", "B"
    _mark(first["hits"], found, other, name="B")
    _mark(second["hits"], other, found, name="A")


def default_offer(
    actor: Actor, base: KnowledgeBase, values: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the form that makes settings the base's own; None where they are, or may not be."""
    if not may(actor, "change", base):
        return None
    now = base_settings_of(base).retrieval.model_dump(mode="json")
    changed = {name: value for name, value in values.items() if now.get(name) != value}
    if not changed:
        return None
    return {
        "url": reverse("base_search_default", args=[base.pk]),
        "fields": [(name, "" if value is None else str(value)) for name, value in values.items()],
        "what": changed_words({name: (now[name], value) for name, value in changed.items()}),
    }


def changed_words(changed: Mapping[str, tuple[Any, Any]]) -> str:
    """Return "Maximum passages 10 → 20, Rerank auto → never"."""
    return listed(
        f"{capfirst(setting_label('retrieval', name))} {before} → {after}"
        for name, (before, after) in changed.items()
    )


def _mark(hits: list[dict[str, Any]], found: Retrieval, other: Retrieval, *, name: str) -> None:
    there = {hit.chunk_id: hit.rank for hit in other.hits}
    for shown, hit in zip(hits, found.hits, strict=True):
        rank = there.get(hit.chunk_id)
        shown["other_tone"] = ""
        if rank is None:
            shown["other"], shown["other_tone"] = _("not in %(name)s") % {"name": name}, "warn"
        elif rank != hit.rank:
            shown["other"] = _("%(rank)s in %(name)s") % {"rank": f"#{rank}", "name": name}
            shown["other_tone"] = "info"
