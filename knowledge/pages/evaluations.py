"""Contexts of the pages of evaluations: figures, a trend, results worst first, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor
from knowledge.base_settings import RetrievalOptions
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState
from knowledge.evaluation.compare import Comparison, Pair
from knowledge.evaluation.kinds import kind_named, measuring_kinds
from knowledge.evaluation.queries import SeenResult
from knowledge.models import EvaluationRun, KnowledgeBase
from knowledge.stored_reasons import told

MEASURES: Mapping[str, Any] = {
    "recall": gettext_lazy("Recall"),
    "precision": gettext_lazy("Precision"),
    "hit": gettext_lazy("Hit rate"),
    "ndcg": gettext_lazy("nDCG"),
    "mrr": gettext_lazy("MRR"),
    "map": gettext_lazy("MAP"),
    "correctness": gettext_lazy("Correctness"),
    "citation_precision": gettext_lazy("Citation precision"),
    "citation_recall": gettext_lazy("Citation recall"),
    "cited": gettext_lazy("Expected passages cited"),
    "rougeL": gettext_lazy("ROUGE-L"),
    "rouge1": gettext_lazy("ROUGE-1"),
    "rouge2": gettext_lazy("ROUGE-2"),
    "bleu1": gettext_lazy("BLEU-1"),
    "bleu2": gettext_lazy("BLEU-2"),
    "bleu4": gettext_lazy("BLEU-4"),
}
"""In the order in which they are shown."""
_TONES = {
    EvaluationState.QUEUED: "",
    EvaluationState.RUNNING: "info",
    EvaluationState.DONE: "ok",
    EvaluationState.FAILED: "bad",
    EvaluationState.CANCELLED: "warn",
}
_CHANGES = {
    "better": (gettext_lazy("Better"), "ok"),
    "worse": (gettext_lazy("Worse"), "bad"),
    "same": (gettext_lazy("Same"), "line"),
    "unmeasured": (gettext_lazy("Not measured"), "line"),
}
CHART_WIDTH, CHART_HEIGHT = 320, 64
_CHART_RUNS = 20
_SHOWN_HITS = 5


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A mean with its bounds, in per cent."""

    name: str
    label: str
    value: str
    low: str
    high: str
    count: int


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """An evaluation in the list, and the head of its page."""

    id: UUID
    label: str
    kind: str
    subject: str
    state: str
    tone: str
    is_open: bool
    done: int
    total: int
    percent: float
    main: Figure | None
    by: str
    at: datetime
    settings: str
    gone: int
    failed: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class ResultRow:
    """One question of an evaluation."""

    question: str
    value: str
    """Of the main measure; blank where it was not measured."""
    is_closed: bool
    is_open: bool
    gone: int
    error: str
    expected: tuple[str, ...]
    hits: tuple[tuple[int, str, bool], ...]
    """Rank, document, whether it is an expected passage."""
    more_hits: int
    answer: str
    reference: str
    verdict: str
    measures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class PairRow:
    """One question in two evaluations."""

    question: str
    old: str
    new: str
    change: str
    tone: str
    before: ResultRow
    after: ResultRow


def run_row(run: EvaluationRun) -> RunRow:
    """Return an evaluation as the list shows it."""
    kind = kind_named(run.kind)
    figures = {figure.name: figure for figure in figures_of(run)}
    main = next((figures[name] for name in kind.primary if name in figures), None)
    return RunRow(
        id=run.pk,
        label=run.label,
        kind=str(kind.label),
        subject=str(run.snapshot.get("name", "")),
        state=str(run.get_state_display()),
        tone=_TONES[EvaluationState(run.state)],
        is_open=run.state in OPEN_EVALUATIONS,
        done=run.done,
        total=run.total,
        percent=100 * run.done / run.total if run.total else 0,
        main=main,
        by=str(run.author) if run.author else "",
        at=run.created_at,
        settings=settings_words(run),
        gone=run.metrics.get("gone", 0),
        failed=run.metrics.get("failed", 0),
        reason=told(run.reason),
    )


def figures_of(run: EvaluationRun) -> list[Figure]:
    """Return the means of an evaluation, in the order in which they are shown."""
    means = run.metrics.get("means", {})
    return [_figure(name, means[name], run.k) for name in MEASURES if name in means]


def settings_words(run: EvaluationRun) -> str:
    """Return the settings of the search in one line."""
    options = RetrievalOptions.model_validate(run.options.get("retrieval", {}))
    return _("%(limit)s passages · weight of words %(weight)s · rerank: %(rerank)s") % {
        "limit": options.limit,
        "weight": f"{options.keyword_weight:g}",
        "rerank": options.rerank,
    }


def result_rows(run: EvaluationRun, results: Sequence[SeenResult]) -> list[ResultRow]:
    """Return the results worst first; those that say that something is gone or failed at the head."""
    primary = kind_named(run.kind).primary
    return [
        _result_row(each, primary, run.k)
        for each in sorted(results, key=lambda each: _badness(each, primary))
    ]


def chart_of(runs: Sequence[EvaluationRun]) -> dict[str, Any] | None:
    """Return the trend of the main measure over the newest evaluations of one kind.

    None where there are fewer than two points. Positions are whole pixels in a picture of
    `CHART_WIDTH` by `CHART_HEIGHT`, oldest first.
    """
    done = [run for run in runs if run.state == EvaluationState.DONE and run.metrics.get("means")]
    if not done:
        return None
    kind = kind_named(done[0].kind)
    name = next((each for each in kind.primary if each in done[0].metrics["means"]), "")
    same = [run for run in done if run.kind == kind.name and name in run.metrics["means"]]
    values = [run.metrics["means"][name] for run in reversed(same[:_CHART_RUNS])]
    if len(values) < 2:
        return None
    step = (CHART_WIDTH - 12) / (len(values) - 1)
    points = [
        (round(6 + at * step), *(_height(value[key]) for key in ("value", "low", "high")))
        for at, value in enumerate(values)
    ]
    return {
        "label": str(MEASURES[name]),
        "line": " ".join(f"{x},{y}" for x, y, _low, _high in points),
        "band": " ".join(
            [f"{x},{high}" for x, _y, _low, high in points]
            + [f"{x},{low}" for x, _y, low, _high in reversed(points)]
        ),
        "points": [{"x": x, "y": y} for x, y, _low, _high in points],
        "first": _percent(values[0]["value"]),
        "last": _percent(values[-1]["value"]),
        "width": CHART_WIDTH,
        "height": CHART_HEIGHT,
    }


def start_choices(actor: Actor, base: KnowledgeBase) -> list[tuple[str, str]]:
    """Return what an evaluation may ask: the search, then everybody who can be asked."""
    found: list[tuple[str, str]] = []
    for kind in measuring_kinds():
        if kind.subjects is None:
            found.append((kind.name, str(kind.label)))
        else:
            found += [
                (f"{kind.name}:{each.id}", f"{kind.label}: {each.name}")
                for each in kind.subjects(actor, base)
            ]
    return found


def comparison_context(found: Comparison) -> dict[str, Any]:
    """Return what `_quality_compare.html` takes."""
    k = found.after.k
    differences = [
        {
            "label": _label(name, k),
            "value": _signed(mean.value),
            "low": _signed(mean.low),
            "high": _signed(mean.high),
            "is_sure": mean.low > 0 or mean.high < 0,
            "tone": "ok" if mean.low > 0 else "bad" if mean.high < 0 else "line",
        }
        for name in MEASURES
        if (mean := found.differences.get(name)) is not None
    ]
    return {
        "before": run_row(found.before),
        "after": run_row(found.after),
        "differences": differences,
        "measure": _label(found.measure, k) if found.measure else "",
        "pairs": [_pair_row(pair, found) for pair in found.pairs],
        "counts": [
            {"label": label, "tone": tone, "number": found.number(change)}  # type: ignore[arg-type]  # a key of a closed dict
            for change, (label, tone) in _CHANGES.items()
            if found.number(change)  # type: ignore[arg-type]  # the same
        ],
        "only_before": found.only_before,
        "only_after": found.only_after,
        "is_open": found.before.state in OPEN_EVALUATIONS or found.after.state in OPEN_EVALUATIONS,
    }


def _pair_row(pair: Pair, found: Comparison) -> PairRow:
    label, tone = _CHANGES[pair.change]
    primary = (found.measure,)
    return PairRow(
        question=_question(pair.after),
        old=_percent(pair.old),
        new=_percent(pair.new),
        change=str(label),
        tone=tone,
        before=_result_row(pair.before, primary, found.before.k),
        after=_result_row(pair.after, primary, found.after.k),
    )


def _result_row(seen: SeenResult, primary: Sequence[str], k: int) -> ResultRow:
    row = seen.row
    value = next((row.metrics[name] for name in primary if name in row.metrics), None)
    names = [each.get("document_name", "") for each in row.expected]
    hits = tuple(
        (rank, each["name"] or _("A document you may not see"), each["target"] is not None)
        for rank, each in enumerate(seen.ranked, 1)
    )
    return ResultRow(
        question=_question(seen),
        value=_percent(value),
        is_closed=seen.is_closed,
        is_open=row.ended_at is None,
        gone=len(row.gone),
        error=told(row.error),
        expected=() if seen.is_closed else tuple(dict.fromkeys(filter(None, names))),
        hits=hits[:_SHOWN_HITS],
        more_hits=max(0, len(hits) - _SHOWN_HITS),
        answer="" if seen.is_closed else row.answer,
        reference="" if seen.is_closed else row.reference,
        verdict="" if seen.is_closed else str(row.judged.get("reason", "")),
        measures=tuple(
            (_label(name, k), _percent(row.metrics[name]))
            for name in MEASURES
            if name in row.metrics
        ),
    )


def _question(seen: SeenResult) -> str:
    if seen.is_closed:
        return _("A question about documents you may not see")
    return seen.row.question or _("A question that was erased")


def _badness(seen: SeenResult, primary: Sequence[str]) -> tuple[int, float, int]:
    row = seen.row
    if row.error:
        return 0, 0.0, row.position
    if row.gone:
        return 1, 0.0, row.position
    value = next((row.metrics[name] for name in primary if name in row.metrics), None)
    return (2, value, row.position) if value is not None else (3, 0.0, row.position)


def _figure(name: str, mean: Mapping[str, Any], k: int) -> Figure:
    return Figure(
        name=name,
        label=_label(name, k),
        value=_percent(mean["value"]),
        low=_percent(mean["low"]),
        high=_percent(mean["high"]),
        count=mean["count"],
    )


def _label(name: str, k: int) -> str:
    of_rankings = ("recall", "precision", "hit", "ndcg", "mrr", "map")
    return f"{MEASURES[name]}@{k}" if name in of_rankings else str(MEASURES[name])


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}"


def _height(value: float) -> int:
    return round(CHART_HEIGHT - 4 - value * (CHART_HEIGHT - 8))
