"""What the page of a run shows: sums, and the timeline as rows with bars."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.constants import OPEN_RUN_STATES
from agents.engine.events import parse_event
from agents.models import AgentRun, ModelUsage, RunEvent
from agents.pages.amounts import duration, money, tokens
from agents.pages.scale import WIDTH, Scale, scale_of
from agents.pages.span_words import NOTES, RESOLUTIONS, purpose_label
from agents.spending.prices import space_currency
from agents.tracing.intervals import Interval
from agents.tracing.masking import mask_value
from agents.tracing.sight import masked_rows
from agents.tracing.spans import Span, StoredEvent, Timeline
from agents.tracing.timeline import fold_timeline

_CUT_CHARACTERS = 1500
_ICONS = {"model": "sparkles", "tool": "wrench", "wait": "shield-check", "note": "info"}
_TICKS = 4


@dataclass(frozen=True, kw_only=True)
class Block:
    """A text of a row; a long one begins with its first part."""

    label: str
    text: str
    start: str = ""
    """What is shown first of a long text; empty: all of it."""


@dataclass(frozen=True, kw_only=True)
class Child:
    """A run that a call began."""

    url: str
    name: str
    facts: str
    is_open: bool


@dataclass(frozen=True, kw_only=True)
class Row:
    """One step with its bar."""

    key: str
    kind: str
    icon: str
    name: str
    detail: str
    state: str
    x: float
    width: float
    duration: str
    facts: str
    """Tokens and cost."""
    blocks: tuple[Block, ...] = ()
    child: Child | None = None


@dataclass(frozen=True, kw_only=True)
class RoundRows:
    """A round with its rows."""

    label: str
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A sum at the head of the page."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class RunTimeline:
    """The timeline tab."""

    figures: list[Figure]
    rounds: list[RoundRows]
    ticks: list[str]
    shortens: bool
    is_open: bool
    legend: list[tuple[str, str]] = field(default_factory=list)


def stored_events(actor: Actor, run: AgentRun) -> list[RunEvent]:
    """Return a run's rows, without text of sources that the reader may not see."""
    return masked_rows(actor, list(RunEvent.objects.filter(run=run).order_by("seq")))


def run_timeline(run: AgentRun, rows: Sequence[RunEvent]) -> RunTimeline:
    """Return the sums and the rows of a run."""
    now = timezone.now()
    line = fold_timeline(
        StoredEvent(event=parse_event(row.data), at=row.created_at) for row in rows
    )
    usage = ModelUsage.objects.filter(run=run).values_list("seq", "cost")
    costs: dict[int, Decimal] = dict(usage)
    scale = _scale(line, now)
    make = _RowMaker(scale, now, costs, _children(run), space_currency())
    return RunTimeline(
        figures=figures_of(run, line, now, costs),
        rounds=[
            RoundRows(
                label=_("Round %(n)s") % {"n": each.number}
                if each.number
                else _("Before the first round"),
                rows=[make.row(span) for span in each.spans],
            )
            for each in line.rounds
            if each.spans
        ],
        ticks=[duration(line.total_seconds(now) * n / _TICKS) for n in range(_TICKS + 1)],
        shortens=scale.shortens,
        is_open=run.state in OPEN_RUN_STATES,
        legend=[("model", _("Model")), ("tool", _("Tool")), ("wait", _("Waiting for a person"))],
    )


def figures_of(
    run: AgentRun, line: Timeline, now: datetime, costs: Mapping[int, Decimal]
) -> list[Figure]:
    """Return the sums of a run; time that people took stands apart from time that was worked."""
    models = [span for span in line.of_kind("model") if span.seq in costs or span.ended]
    sums = [
        sum(getattr(span, f"{kind}_tokens") for span in models)
        for kind in ("input", "output", "cached")
    ]
    cost = sum(costs.values(), Decimal(0))
    queued = ((run.started_at or now) - run.created_at).total_seconds()
    return [
        Figure(
            label=_("Total time"),
            value=duration(line.total_seconds(now)),
            note=_("%(time)s in the queue") % {"time": duration(queued)},
        ),
        Figure(label=_("Working time"), value=duration(line.working_seconds(now))),
        Figure(label=_("Waiting for people"), value=duration(line.waiting_seconds(now))),
        Figure(
            label=_("Rounds"),
            value=str(sum(1 for each in line.rounds if each.number)),
            note=_("%(n)s model calls") % {"n": len(models)},
        ),
        Figure(label=_("Tools"), value=str(len(line.of_kind("tool")))),
        Figure(
            label=_("Tokens"),
            value=tokens(sums[0] + sums[1]),
            note=_("%(in)s in · %(out)s out · %(cached)s cached")
            % {"in": tokens(sums[0]), "out": tokens(sums[1]), "cached": tokens(sums[2])},
        ),
        Figure(label=_("Cost"), value=money(cost, space_currency()) if cost else "–"),
    ]


def _scale(line: Timeline, now: datetime) -> Scale:
    began = line.began or now
    ended = max(line.ended or now, began)
    waits = [Interval(each.began, each.ended or ended) for each in line.of_kind("wait")]
    return scale_of(began, ended, waits)


def _children(run: AgentRun) -> dict[str, Child]:
    """Return the runs that this one began, by the call."""
    rows = AgentRun.objects.filter(parent=run).select_related("agent")
    rows = rows.annotate(spent=Sum("usages__input_tokens") + Sum("usages__output_tokens"))
    return {row.parent_call_id: _child(row) for row in rows}


def _child(run: AgentRun) -> Child:
    ended = run.ended_at or timezone.now()
    spent = int(getattr(run, "spent", 0) or 0)
    facts = [
        run.get_state_display(),
        duration((ended - (run.started_at or run.created_at)).total_seconds()),
        _("%(n)s tokens") % {"n": tokens(spent)},
    ]
    return Child(
        url=reverse("run", args=[run.pk]),
        name=run.agent_called or _("Removed agent"),
        facts=" · ".join(facts),
        is_open=run.state in OPEN_RUN_STATES,
    )


@dataclass(frozen=True)
class _RowMaker:
    scale: Scale
    now: datetime
    costs: Mapping[int, Decimal]
    children: Mapping[str, Child]
    currency: str

    def row(self, span: Span) -> Row:
        ended = span.ended or self.now
        x = self.scale.x(span.began)
        width = max(self.scale.x(ended) - x, WIDTH / 250)
        return Row(
            key=span.key,
            kind=span.kind,
            icon=_ICONS[span.kind],
            name=self._name(span),
            detail=self._detail(span),
            state=span.state,
            x=min(x, WIDTH - WIDTH / 250),
            width=round(width, 1),
            duration="" if span.kind == "note" else duration(span.seconds(self.now)),
            facts=self._facts(span),
            blocks=tuple(block for block in _blocks(span) if block.text),
            child=self.children.get(span.call_id) if span.kind == "tool" else None,
        )

    def _name(self, span: Span) -> str:
        if span.kind == "model":
            return f"{span.name or _('Model')} · {purpose_label(span)}"
        if span.kind == "wait":
            return _("Approval: %(tool)s") % {"tool": span.name}
        if span.kind == "note":
            return str(NOTES.get(span.name, span.name))
        return span.name

    def _detail(self, span: Span) -> str:
        if span.kind == "wait":
            told = str(RESOLUTIONS.get(span.purpose, _("Waiting")))
            return " · ".join(part for part in (told, span.said or span.detail) if part)
        return span.detail

    def _facts(self, span: Span) -> str:
        if span.kind != "model" or span.ended is None:
            return ""
        parts = [
            _("%(in)s in, %(out)s out")
            % {"in": tokens(span.input_tokens), "out": tokens(span.output_tokens)}
        ]
        if span.is_estimated:
            parts.append(_("estimated"))
        if self.costs.get(span.seq):
            parts.append(money(self.costs[span.seq], self.currency))
        return " · ".join(parts)


def _blocks(span: Span) -> list[Block]:
    output_label = _("What went wrong") if span.state == "bad" else _("Result")
    data = {key: value for key, value in span.data.items() if value not in ([], "", None)}
    first = (
        _("First token after %(time)s") % {"time": duration(span.first_token_ms / 1000)}
        if span.first_token_ms is not None
        else ""
    )
    return [
        block(_("Arguments"), pretty(span.arguments) if span.arguments else ""),
        block(output_label, span.output),
        block(_("Data"), pretty(data) if data else ""),
        block(_("Thought"), span.thought.strip()),
        block(_("Model's message before the calls"), span.said if span.kind == "model" else ""),
        block(_("Speed"), first),
    ]


def block(label: str, text: str) -> Block:
    """Return a text with its label; a long one begins with its first part."""
    start = text[:_CUT_CHARACTERS].rstrip() + " …" if len(text) > _CUT_CHARACTERS * 1.2 else ""
    return Block(label=label, text=text, start=start)


def pretty(value: Any) -> str:
    """Return a JSON value as people read it, without secrets."""
    return json.dumps(mask_value(value), ensure_ascii=False, indent=2, default=str)
