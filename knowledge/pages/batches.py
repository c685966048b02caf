"""Contexts of the pages of batches: what was put in together, how far it is, what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Q, QuerySet
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, may, visible
from knowledge.batches.estimate import currency_of_base
from knowledge.constants import OPEN_STATES, BatchState, DocumentState, EnrichmentState
from knowledge.models import Document, IngestBatch, KnowledgeBase
from knowledge.stored_reasons import told

SHOWN_FAILURES = 100
_FAILED = (DocumentState.FAILED, DocumentState.REFUSED, DocumentState.NEEDS_INPUT)
_TONES = {
    BatchState.RUNNING: "info",
    BatchState.PAUSED: "warn",
    BatchState.DONE: "ok",
}


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How far the documents of a batch are, as far as the actor sees them."""

    ready: int
    at_work: int
    waiting: int
    failed: int
    stopped: int
    enriching: int

    @property
    def arrived(self) -> int:
        """How many became documents."""
        return self.ready + self.at_work + self.waiting + self.failed + self.stopped


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A file that is not found by questions, and why."""

    name: str
    reason: str
    document_id: UUID | None = None
    """None: it did not arrive."""
    wants_password: bool = False


@dataclass(frozen=True, kw_only=True)
class BatchView:
    """What `_batch.html` and `_batch_line.html` show."""

    id: UUID
    base_id: UUID
    label: str
    tone: str
    is_open: bool
    is_paused: bool
    started_at: datetime
    ended_at: datetime | None
    by: str
    expected: int
    counts: Counts
    missing: int
    """Files that were announced and did not come, while no more come."""
    percent: float
    spent: str
    """Tokens and money that were used."""
    limit: str
    """What it may use; blank when there is no limit."""
    limit_percent: float | None
    estimate: str
    failures: Sequence[Failure]
    more_failures: int
    may_change: bool
    may_retry: bool


def batch_view(actor: Actor, batch: IngestBatch) -> BatchView:
    """Return a batch with its documents' counts and failures."""
    documents = visible(actor, "view", Document.objects.filter(batch=batch))
    counts = _counts(documents)
    counts = replace(counts, stopped=counts.stopped + _left(batch))
    expected = max(int(batch.estimate.get("documents", 0)), counts.arrived)
    failures = _failures(batch, documents)
    is_open = batch.state in (BatchState.RUNNING, BatchState.PAUSED)
    settled = counts.ready + counts.failed + counts.stopped if is_open else expected
    currency = currency_of_base(batch.base)
    may_change = may(actor, "change", batch)
    not_arrived = int(batch.uploads.get("failed_total", 0))
    return BatchView(
        id=batch.pk,
        base_id=batch.base_id,
        label=str(BatchState(batch.state).label),
        tone=_TONES.get(BatchState(batch.state), ""),
        is_open=is_open,
        is_paused=batch.state == BatchState.PAUSED,
        started_at=batch.created_at,
        ended_at=batch.ended_at,
        by=str(batch.created_by) if batch.created_by else "",
        expected=expected,
        counts=counts,
        missing=max(0, expected - counts.arrived - not_arrived) if _is_complete(batch) else 0,
        percent=100 * settled / expected if expected else 100,
        spent=_used(batch.spent_tokens, batch.spent_cents, currency),
        limit=_limit(batch, currency),
        limit_percent=_limit_percent(batch),
        estimate=estimate_words(batch.estimate, currency),
        failures=failures[:SHOWN_FAILURES],
        more_failures=max(0, counts.failed + not_arrived - SHOWN_FAILURES),
        may_change=may_change,
        may_retry=may_change and counts.failed > 0,
    )


def list_rows(actor: Actor, batches: Sequence[IngestBatch]) -> list[dict[str, Any]]:
    """Return a row for each batch of a list; the documents of all are counted at once."""
    documents = visible(actor, "view", Document.objects.filter(batch__in=batches))
    counted = (
        documents.order_by()
        .values("batch")
        .annotate(
            arrived=Count("pk"),
            ready=Count("pk", filter=Q(state=DocumentState.COMPLETED)),
            failed=Count("pk", filter=Q(state__in=_FAILED)),
            stopped=Count("pk", filter=Q(state=DocumentState.CANCELLED)),
        )
    )
    none = {"arrived": 0, "ready": 0, "failed": 0, "stopped": 0}
    by_batch = {row["batch"]: {name: int(row[name]) for name in none} for row in counted}  # type: ignore[literal-required]  # names of the annotations
    return [_row(batch, by_batch.get(batch.pk, none)) for batch in batches]


def estimate_facts(base: KnowledgeBase, estimate: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what a person reads before they say yes: (label, value)."""
    currency = currency_of_base(base)
    facts = [
        (_("Documents"), intcomma(estimate["documents"])),
        (_("Size"), filesizeformat(estimate["bytes"])),
        (_("Time until all are found"), about_minutes(estimate["minutes"])),
        (_("Tokens"), _("about %s") % intcomma(estimate["tokens"])),
    ]
    if currency:
        facts.append((_("Cost"), _("about %s") % _money(Decimal(estimate["cents"]), currency)))
    return facts


def estimate_words(estimate: dict[str, Any], currency: str) -> str:
    """Return an estimate in one line."""
    if not estimate.get("tokens"):
        return ""
    parts = [about_minutes(int(estimate["minutes"]))]
    parts.append(_("about %s tokens") % intcomma(estimate["tokens"]))
    if currency and estimate.get("cents"):
        parts.append(_money(Decimal(estimate["cents"]), currency))
    return " · ".join(parts)


def about_minutes(minutes: int) -> str:
    """Return minutes as people say them; hours from two on."""
    if minutes < 120:
        return ngettext("about %(n)s minute", "about %(n)s minutes", minutes) % {"n": minutes}
    hours = round(minutes / 60)
    return ngettext("about %(n)s hour", "about %(n)s hours", hours) % {"n": intcomma(hours)}


def _is_complete(batch: IngestBatch) -> bool:
    ended = batch.state in (BatchState.DONE, BatchState.CANCELLED)
    return ended or bool(batch.uploads.get("is_complete"))


def _counts(documents: QuerySet[Document]) -> Counts:
    counted = documents.order_by().aggregate(
        ready=Count("pk", filter=Q(state=DocumentState.COMPLETED)),
        at_work=Count("pk", filter=Q(state=DocumentState.PROCESSING)),
        waiting=Count("pk", filter=Q(state=DocumentState.PENDING)),
        failed=Count("pk", filter=Q(state__in=_FAILED)),
        stopped=Count("pk", filter=Q(state=DocumentState.CANCELLED)),
        enriching=Count(
            "pk", filter=Q(enrichment=EnrichmentState.RUNNING) & ~Q(state__in=OPEN_STATES)
        ),
    )
    return Counts(**counted)


def _failures(batch: IngestBatch, documents: QuerySet[Document]) -> list[Failure]:
    rows = documents.filter(state__in=_FAILED).order_by("folder_path", "name", "pk")
    not_arrived = [
        Failure(name=each["name"], reason=each["reason"])
        for each in batch.uploads.get("failed", [])
    ]
    read = [
        Failure(
            name=f"{row.folder_path}/{row.name}" if row.folder_path else row.name,
            reason=told(row.reason),
            document_id=row.pk,
            wants_password=row.state == DocumentState.NEEDS_INPUT,
        )
        for row in rows[:SHOWN_FAILURES]
    ]
    return read + not_arrived


def _left(batch: IngestBatch) -> int:
    """Return how many documents its cancellation stopped: they are none of its own since."""
    return int(batch.uploads.get("stopped", 0))


def _row(batch: IngestBatch, counts: dict[str, int]) -> dict[str, Any]:
    stopped = counts["stopped"] + _left(batch)
    expected = max(int(batch.estimate.get("documents", 0)), counts["arrived"])
    settled = counts["ready"] + counts["failed"] + stopped
    return {
        "id": batch.pk,
        "started_at": batch.created_at,
        "by": str(batch.created_by) if batch.created_by else "",
        "label": str(BatchState(batch.state).label),
        "tone": _TONES.get(BatchState(batch.state), ""),
        "is_open": batch.state in (BatchState.RUNNING, BatchState.PAUSED),
        "expected": expected,
        "ready": counts["ready"],
        "failed": counts["failed"] + int(batch.uploads.get("failed_total", 0)),
        "stopped": stopped,
        "percent": 100 * settled / expected if expected else 100,
        "tokens": batch.spent_tokens,
    }


def _used(tokens: int, cents: Decimal, currency: str) -> str:
    used = _("about %s tokens") % intcomma(tokens)
    return f"{used} · {_money(cents, currency)}" if currency else used


def _limit(batch: IngestBatch, currency: str) -> str:
    parts = []
    if batch.cap_tokens is not None:
        parts.append(_("%s tokens") % intcomma(batch.cap_tokens))
    if batch.cap_cents is not None:
        parts.append(_money(Decimal(batch.cap_cents), currency))
    return " · ".join(parts)


def _limit_percent(batch: IngestBatch) -> float | None:
    shares = []
    if batch.cap_tokens:
        shares.append(batch.spent_tokens / batch.cap_tokens)
    if batch.cap_cents:
        shares.append(float(batch.spent_cents) / batch.cap_cents)
    return min(100.0, 100 * max(shares)) if shares else None


def _money(cents: Decimal, currency: str) -> str:
    return f"{cents / 100:,.2f} {currency}".strip()
