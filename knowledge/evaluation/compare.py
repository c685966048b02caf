"""Two evaluations of a base, question by question: what got better, what got worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor
from core.errors import Invalid
from knowledge.evaluation.intervals import Mean, difference_of
from knowledge.evaluation.kinds import kind_named
from knowledge.evaluation.queries import SeenResult, get_run, results_of
from knowledge.faq.normal_form import question_hash
from knowledge.models import EvaluationRun

Change = Literal["better", "worse", "same", "unmeasured"]
_ORDER: dict[Change, int] = {"worse": 0, "better": 1, "unmeasured": 2, "same": 3}
_SAME = 1e-9


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One question in both evaluations."""

    before: SeenResult
    after: SeenResult
    change: Change
    old: float | None
    new: float | None
    """Of the measure by which the two are compared."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two evaluations side by side."""

    before: EvaluationRun
    after: EvaluationRun
    measure: str
    """By which questions are better or worse; blank where the two have none in common."""
    pairs: tuple[Pair, ...]
    """Worse ones first, those that changed most at the head."""
    differences: Mapping[str, Mean]
    """By measure: the mean of after − before over the questions that both measured."""
    only_before: int
    only_after: int
    """Questions that the other one does not have."""

    def number(self, change: Change) -> int:
        """Return how many questions changed in this way."""
        return sum(pair.change == change for pair in self.pairs)


def compare_runs(actor: Actor, *, before_id: UUID, after_id: UUID) -> Comparison:
    """Compare two evaluations of one base.

    Raises:
        NotFound: one is none of those that the actor sees.
        Invalid: they are of two bases.
    """
    before, after = get_run(actor, before_id), get_run(actor, after_id)
    if before.base_id != after.base_id:
        raise Invalid(_("Only evaluations of one knowledge base can be compared."))
    old = {_key(each): each for each in results_of(actor, before)}
    new = {_key(each): each for each in results_of(actor, after)}
    both = [key for key in old if key in new]
    names = {name for key in both for name in old[key].row.metrics if name in new[key].row.metrics}
    measure = next((name for name in kind_named(after.kind).primary if name in names), "")
    pairs = [_pair(old[key], new[key], measure) for key in both]
    pairs.sort(key=lambda pair: (_ORDER[pair.change], -_distance(pair), pair.after.row.position))
    differences = {name: _difference(pairs, name) for name in sorted(names)}
    return Comparison(
        before=before,
        after=after,
        measure=measure,
        pairs=tuple(pairs),
        differences={name: mean for name, mean in differences.items() if mean is not None},
        only_before=len(old) - len(both),
        only_after=len(new) - len(both),
    )


def _key(seen: SeenResult) -> str:
    """A question stays itself when its golden question is deleted, or its words are changed."""
    return str(seen.row.golden_id or question_hash(seen.row.question))


def _pair(before: SeenResult, after: SeenResult, measure: str) -> Pair:
    old, new = before.row.metrics.get(measure), after.row.metrics.get(measure)
    change: Change = "unmeasured"
    if old is not None and new is not None:
        change = "same" if abs(new - old) < _SAME else "better" if new > old else "worse"
    return Pair(before=before, after=after, change=change, old=old, new=new)


def _distance(pair: Pair) -> float:
    return abs((pair.new or 0.0) - (pair.old or 0.0))


def _difference(pairs: list[Pair], name: str) -> Mean | None:
    values = [
        (pair.before.row.metrics[name], pair.after.row.metrics[name])
        for pair in pairs
        if name in pair.before.row.metrics and name in pair.after.row.metrics
    ]
    return difference_of([old for old, _new in values], [new for _old, new in values])
