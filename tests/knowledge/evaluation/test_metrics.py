"""Our measures of rankings against those of trec_eval, on many random rankings."""

from __future__ import annotations

import random

import ir_measures
import pytest
from ir_measures import AP, RR, P, R, Success, nDCG

from knowledge.evaluation.metrics import ranking_metrics

MEASURES = {
    "recall": R,
    "precision": P,
    "hit": Success,
    "ndcg": nDCG,
    "mrr": RR,
    "map": AP,
}


def _rankings(seed: int) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    chance = random.Random(seed)
    pool = [f"d{number}" for number in range(40)]
    ranked = {f"q{n}": chance.sample(pool, chance.randint(1, 25)) for n in range(60)}
    wanted = {each: set(chance.sample(pool, chance.randint(1, 6))) for each in ranked}
    return ranked, wanted


@pytest.mark.parametrize("k", [1, 3, 10, 50])
@pytest.mark.parametrize("name", sorted(MEASURES))
def test_measures_agree_with_ir_measures(name: str, k: int) -> None:
    ranked, wanted = _rankings(seed=k)
    qrels = {query: dict.fromkeys(found, 1) for query, found in wanted.items()}
    run = {
        query: {each: float(-rank) for rank, each in enumerate(found)}
        for query, found in ranked.items()
    }
    theirs = {
        each.query_id: each.value
        for each in ir_measures.iter_calc([MEASURES[name] @ k], qrels, run)
    }
    assert len(theirs) == 60
    for query, value in theirs.items():
        ours = ranking_metrics(ranked[query], wanted[query], k=k)[name]
        assert ours == pytest.approx(value, abs=1e-6), query


def test_nothing_wanted_and_nothing_found_are_zero() -> None:
    assert set(ranking_metrics([], {"a"}, k=10).values()) == {0.0}
    assert set(ranking_metrics(["a"], set[str](), k=10).values()) == {0.0}
