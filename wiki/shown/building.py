"""The page of building: what it would take, how far it is, what was done, what failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from knowledge.stored_reasons import told
from wiki.build.asking import model_of, why_no_model
from wiki.build.estimate import Estimate
from wiki.build.queue import OPEN
from wiki.constants import OperationState
from wiki.models import WikiBuild, WikiOperation, WikiPage, WikiSettings
from wiki.queries import pages_of
from wiki.services.building import estimate_build, seen_names

SHOWN_LINES: Final = 60
_TONES: Final = {"ended": "ok", "failed": "warn", "stopped": "warn", "running": "info"}


@dataclass(frozen=True, kw_only=True)
class LogLine:
    """Something that building tells."""

    at: datetime | None
    what: str
    detail: str
    page: WikiPage | None
    """None: not of a page that the reader sees."""


@dataclass(frozen=True, kw_only=True)
class FailedDocument:
    """A document that waits for a person."""

    id: UUID
    document_id: UUID | None
    """None: it is gone, or not for the reader."""
    name: str
    reason: str
    attempts: int


@dataclass(frozen=True, kw_only=True)
class BuildView:
    """One building as its page shows it."""

    id: UUID
    label: str
    tone: str
    is_open: bool
    is_stopping: bool
    done: int
    total: int
    percent: int
    figures: tuple[tuple[str, str], ...]
    spent: str
    estimated: str
    by: str
    started_at: datetime
    ended_at: datetime | None


def building_context(actor: Actor, settings: WikiSettings) -> dict[str, Any]:
    """Return what `wiki/_building.html` takes."""
    base = settings.base
    newest = WikiBuild.objects.filter(base=base).select_related("started_by").first()
    view = _view(newest) if newest else None
    no_model = why_no_model(settings)
    estimate = None if view and view.is_open else estimate_build(actor, base_id=base.pk)
    return {
        "build": view,
        "log": _log(actor, newest) if newest else [],
        "failed": _failed(actor, base),
        "waiting": WikiOperation.objects.filter(base=base, state__in=OPEN).count(),
        "no_model": no_model,
        "model_name": "" if no_model else model_of(settings).name,
        "wiki": settings,
        "estimate": estimate_lines(estimate) if estimate else [],
        "estimate_documents": estimate.documents if estimate else 0,
    }


def estimate_lines(estimate: Estimate) -> list[tuple[str, str]]:
    """Return an estimate as words and figures."""
    lines = [
        (_("Documents"), f"{estimate.documents:,}"),
        (_("Passages"), f"{estimate.passages:,}"),
        (_("Pages, at most about"), f"{estimate.pages:,}"),
    ]
    if estimate.calls:
        lines += [
            (_("Calls of the model, about"), f"{estimate.calls:,}"),
            (_("Tokens, about"), f"{estimate.tokens:,}"),
            (_("Time, about"), _minutes(estimate.seconds)),
        ]
        if estimate.currency:
            lines.append((_("Cost, about"), _money(estimate.cents, estimate.currency)))
    return lines


def _view(build: WikiBuild) -> BuildView:
    rows = build.operations.order_by().values("state").annotate(n=Count("pk"))
    by_state = {row["state"]: row["n"] for row in rows}
    total = sum(by_state.values())
    open_ones = sum(by_state.get(state, 0) for state in OPEN)
    is_open = build.ended_at is None and open_ones > 0
    stopped = build.stop_asked_at is not None
    has_failed = bool(by_state.get(OperationState.DEAD))
    state = "running" if is_open else "stopped" if stopped else "failed" if has_failed else "ended"
    labels = {
        "running": _("Stopping") if stopped else _("Being built"),
        "stopped": _("Stopped"),
        "failed": _("Done, not everything"),
        "ended": _("Done"),
    }
    return BuildView(
        id=build.pk,
        label=labels[state],
        tone=_TONES[state],
        is_open=is_open,
        is_stopping=is_open and stopped,
        done=total - open_ones,
        total=total,
        percent=round(100 * (total - open_ones) / total) if total else 100,
        figures=_figures(build.counts, by_state),
        spent=_spent(build),
        estimated=_estimated(build.estimate),
        by=build.started_by.get_full_name() or str(build.started_by) if build.started_by else "",
        started_at=build.created_at,
        ended_at=build.ended_at,
    )


def _figures(counts: dict[str, float], by_state: dict[str, int]) -> tuple[tuple[str, str], ...]:
    named = (
        (_("New pages"), counts.get("made", 0)),
        (_("Changed"), counts.get("changed", 0)),
        (_("Proposed"), counts.get("proposed", 0)),
        (_("Removed"), counts.get("removed", 0)),
        (_("Refused by a guard"), counts.get("refused", 0)),
        (_("Sentences without a source, left out"), counts.get("dropped", 0)),
        (_("Failed documents"), by_state.get(OperationState.DEAD, 0)),
    )
    return tuple((label, f"{int(n):,}") for at, (label, n) in enumerate(named) if n or at < 3)


def _spent(build: WikiBuild) -> str:
    counts = build.counts
    if not counts.get("calls"):
        return ""
    tokens = int(counts.get("tokens_in", 0) + counts.get("tokens_out", 0))
    words = _("%(calls)s calls · %(tokens)s tokens") % {
        "calls": f"{int(counts['calls']):,}",
        "tokens": f"{tokens:,}",
    }
    currency = build.estimate.get("currency", "")
    return f"{words} · {_money(counts.get('cents', 0), currency)}" if currency else words


def _estimated(estimate: dict[str, Any]) -> str:
    if not estimate.get("calls"):
        return ""
    words = _("about %(calls)s calls · %(tokens)s tokens") % {
        "calls": f"{estimate['calls']:,}",
        "tokens": f"{estimate['tokens']:,}",
    }
    currency = estimate.get("currency", "")
    return f"{words} · {_money(estimate['cents'], currency)}" if currency else words


def _log(actor: Actor, build: WikiBuild) -> list[LogLine]:
    lines = list(reversed(build.log))[:SHOWN_LINES]
    slugs = {line["page"] for line in lines if line["page"]}
    pages = {page.slug: page for page in pages_of(actor, build.base_id).filter(slug__in=slugs)}
    return [
        LogLine(
            at=parse_datetime(line["at"]),
            what=_(line["what"]),
            # What is told of a page is for who sees the page.
            detail=line["detail"] if not line["page"] or line["page"] in pages else "",
            page=pages.get(line["page"]),
        )
        for line in lines
    ]


def _failed(actor: Actor, base: KnowledgeBase) -> list[FailedDocument]:
    rows = list(WikiOperation.objects.filter(base=base, state=OperationState.DEAD)[:100])
    names = seen_names(actor, [row.document_id for row in rows])
    return [
        FailedDocument(
            id=row.pk,
            document_id=row.document_id if row.document_id in names else None,
            name=names.get(row.document_id) or _("A document that is gone or not for you"),
            reason=told(row.error),
            attempts=row.attempts,
        )
        for row in rows
    ]


def _minutes(seconds: int) -> str:
    minutes = max(1, round(seconds / 60))
    return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}


def _money(cents: float, currency: str) -> str:
    return f"{cents / 100:,.2f} {currency}"
