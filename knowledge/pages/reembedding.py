"""Contexts of the pages of a base's embedding model: choices with costs, a change, two searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, visible
from knowledge.constants import EmbeddingChangeState
from knowledge.models import EmbeddingChange, KnowledgeBase
from knowledge.pages.labels import page_label
from knowledge.pictures.shown import passages_html
from knowledge.reembedding.compare import ComparedHit, Comparison
from knowledge.reembedding.estimate import cost_of, size_of
from knowledge.reembedding.queries import latest_change
from knowledge.reembedding.services import can_be_undone
from knowledge.stored_reasons import told
from providers.constants import ModelType
from providers.models import AIModel

_TONES = {
    EmbeddingChangeState.BUILDING: "info",
    EmbeddingChangeState.READY: "ok",
    EmbeddingChangeState.LIVE: "ok",
}


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """An embedding model that a base may change to."""

    id: UUID
    name: str
    is_current: bool
    facts: str
    """What it would take: "1,200 passages · about 90,000 tokens · about 1.20 EUR"."""


@dataclass(frozen=True, kw_only=True)
class ChangeView:
    """What `_embedding.html` shows of a change that goes on."""

    old: str
    new: str
    label: str
    tone: str
    is_building: bool
    is_ready: bool
    is_live: bool
    is_waiting: bool
    """A switch was asked for and waits for passages without a vector."""
    is_polled: bool
    percent: float
    done: str
    total: str
    tokens: str
    by: str
    started_at: datetime
    kept_until: datetime | None
    reason: str
    may_undo: bool
    may_compare: bool


@dataclass(frozen=True, kw_only=True)
class NoteView:
    """How the last change of a base ended."""

    text: str
    tone: str


@dataclass(frozen=True, kw_only=True)
class HitView:
    """A passage in one of the two columns."""

    rank: int
    title: str
    location: str
    url: str
    text: SafeString
    mark: str
    mark_words: str


def choices_of(actor: Actor, base: KnowledgeBase) -> list[ModelChoice]:
    """Return the space's embedding models that are switched on, the base's own first."""
    size = size_of(base)
    rows = visible(actor, "use", AIModel.objects.filter(type=ModelType.EMBEDDING, is_enabled=True))
    choices = []
    for row in rows.order_by("name"):
        cents, currency = cost_of(row, size)
        parts = [
            ngettext("%(n)s passage", "%(n)s passages", size.passages)
            % {"n": intcomma(size.passages)},
            _("about %s tokens") % intcomma(size.tokens),
        ]
        if currency:
            parts.append(_("about %s") % f"{cents / 100:,.2f} {currency}")
        choices.append(
            ModelChoice(
                id=row.pk,
                name=row.name,
                is_current=row.pk == base.embedding_model_id,
                facts=" · ".join(parts),
            )
        )
    return sorted(choices, key=lambda each: not each.is_current)


def change_view(change: EmbeddingChange) -> ChangeView:
    """Return a change that goes on."""
    state = EmbeddingChangeState(change.state)
    is_building = state == EmbeddingChangeState.BUILDING
    two_models = change.from_model_id not in (None, change.to_model_id)
    return ChangeView(
        old=change.from_name or _("no model"),
        new=change.to_name,
        label=str(state.label),
        tone=_TONES[state],
        is_building=is_building,
        is_ready=state == EmbeddingChangeState.READY,
        is_live=state == EmbeddingChangeState.LIVE,
        is_waiting=change.wants_switch,
        is_polled=is_building or change.wants_switch,
        percent=100 * change.done / change.total if change.total else 0,
        done=intcomma(change.done),
        total=intcomma(change.total),
        tokens=intcomma(change.spent_tokens),
        by=str(change.author) if change.author else "",
        started_at=change.created_at,
        kept_until=change.kept_until,
        reason=told(change.reason),
        may_undo=can_be_undone(change),
        may_compare=two_models and not is_building,
    )


def note_view(base: KnowledgeBase) -> NoteView | None:
    """Return how the last change ended; None when there was none."""
    change = latest_change(base.pk)
    if change is None:
        return None
    names = {"old": change.from_name, "new": change.to_name, "days": settings.EMBEDDINGS_KEPT_DAYS}
    if change.state == EmbeddingChangeState.FAILED:
        failed = _("The change to “%(new)s” failed: %(reason)s What was embedded is used again.")
        return NoteView(text=failed % {**names, "reason": told(change.reason)}, tone="bad")
    if change.state == EmbeddingChangeState.UNDONE:
        undone = _(
            "The change to “%(new)s” was undone. Its vectors are kept for %(days)s days: to start"
            " it again costs nothing for what is there."
        )
        return NoteView(text=undone % names, tone="")
    if change.state == EmbeddingChangeState.CANCELED:
        return NoteView(text=_("The change to “%(new)s” was canceled.") % names, tone="")
    return NoteView(text=_("Changed from “%(old)s” to “%(new)s”.") % names, tone="ok")


def comparison_view(found: Comparison) -> dict[str, Any]:
    """Return what `_embedding_compare.html` shows."""
    return {
        "question": found.question,
        "columns": [(_("Now"), _column(found.old)), (_("New"), _column(found.new))],
        "shared": ngettext(
            "%(n)s passage is found by both.", "%(n)s passages are found by both.", found.shared
        )
        % {"n": found.shared},
        "warnings": found.warnings,
    }


def _column(hits: Sequence[ComparedHit]) -> list[HitView]:
    texts = passages_html((each.hit.document_id, each.hit.marked_text) for each in hits)
    return [_hit_view(each, text) for each, text in zip(hits, texts, strict=True)]


def _hit_view(each: ComparedHit, text: SafeString) -> HitView:
    hit = each.hit
    words = {
        "same": _("same place"),
        "up": _("%(n)s higher here") % {"n": each.moved},
        "down": _("%(n)s lower here") % {"n": each.moved},
        "only": _("only here"),
    }
    return HitView(
        rank=hit.rank,
        title=hit.document_name,
        location=page_label(hit.page_from, hit.page_to),
        url=f"{reverse('document', args=[hit.document_id])}?chunk={hit.chunk_id}"
        f"#chunk-{hit.chunk_id}",
        text=text,
        mark=each.mark,
        mark_words=words[each.mark],
    )
