"""The figures of a whole evaluation: means with intervals over its questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from knowledge.evaluation.intervals import mean_of
from knowledge.models import EvaluationResult


def summarise(results: Iterable[EvaluationResult]) -> dict[str, Any]:
    """Return what `EvaluationRun.metrics` keeps.

    A question whose expected passages are all gone has no measures and is in no mean; `gone` and
    `failed` say how many questions that is, and how many could not be asked.
    """
    values: defaultdict[str, list[float]] = defaultdict(list)
    gone = failed = 0
    for row in results:
        for name, value in row.metrics.items():
            values[name].append(value)
        gone += bool(row.gone)
        failed += bool(row.error)
    means = {name: mean_of(found) for name, found in values.items()}
    return {
        "means": {name: asdict(mean) for name, mean in means.items() if mean is not None},
        "gone": gone,
        "failed": failed,
    }
