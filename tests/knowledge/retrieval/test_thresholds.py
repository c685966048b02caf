"""What is too weak: by each engine's own measure, and by the rerank model's."""

from __future__ import annotations

from uuid import UUID

import pytest

from knowledge.retrieval.thresholds import LEAST_OF_THE_BEST, drop_below, drop_weak
from tests.knowledge.retrieval.test_fuse import candidate
from tests.knowledge.retrieval.test_rerank import positions, ranked

BOTH = {"dense_rank": 1, "dense_score": 0.8, "keyword_rank": 1, "keyword_score": 0.5}
MEANING = {**BOTH, "keyword_rank": None}
WORDS = {**BOTH, "dense_rank": None}


@pytest.mark.parametrize(
    ("fields", "dense", "keyword", "ends"),
    [
        pytest.param(BOTH, 0.0, 0.0, None, id="no threshold"),
        pytest.param(BOTH, 0.8, 0.5, None, id="just enough"),
        pytest.param(BOTH, 0.9, 0.5, None, id="words hold it"),
        pytest.param(BOTH, 0.8, 0.6, None, id="meaning holds it"),
        pytest.param(BOTH, 0.9, 0.6, "dense_threshold", id="both miss"),
        pytest.param(MEANING, 0.9, 0.1, "dense_threshold", id="words did not name it"),
        pytest.param(WORDS, 0.1, 0.6, "keyword_threshold", id="meaning did not name it"),
        pytest.param({**BOTH, "graph": (1, 0.2)}, 0.9, 0.9, None, id="the graph holds it"),
        pytest.param({**MEANING, "dense_score": -0.5}, 0.0, 0.0, None, id="0 is no threshold"),
    ],
)
def test_a_candidate_stays_while_one_engine_holds_it(fields, dense, keyword, ends):
    kept, dropped = drop_weak([candidate(1, **fields)], dense=dense, keyword=keyword)
    assert [each.stage for each in dropped] == ([ends] if ends else [])
    assert len(kept) + len(dropped) == 1
    assert all(each.reason.endswith("is the least.") for each in dropped)


def test_what_stays_knows_which_engine_does_not_count():
    (kept,), _ = drop_weak([candidate(1, **BOTH)], dense=0.9, keyword=0.4)
    assert kept.below == {"dense"}


def judged(*scores: float, threshold: float) -> tuple[list[int], list[int]]:
    found = ranked(*(1 - number / 10 for number in range(len(scores) + 1)))
    by_chunk = {UUID(int=number): score for number, score in enumerate(scores, 1)}
    kept, dropped = drop_below(found, by_chunk, threshold=threshold)
    return positions(kept), [each.candidate.position for each in dropped]


def test_the_rerank_models_own_score_decides_and_the_unasked_go():
    assert judged(0.9, 0.2, 0.5, threshold=0.5) == ([1, 3], [2, 4])


def test_the_best_stays_where_nothing_reaches_the_threshold():
    assert judged(0.1, LEAST_OF_THE_BEST, 0.12, threshold=0.5) == ([2], [1, 3, 4])


def test_nothing_stays_where_the_best_is_hopeless():
    assert judged(0.1, LEAST_OF_THE_BEST - 0.01, threshold=0.5) == ([], [1, 2, 3])


def test_no_threshold_and_no_scores_drop_nothing():
    assert judged(0.1, 0.2, threshold=0.0) == ([1, 2, 3], [])
    found = ranked(0.5, 0.4)
    assert drop_below(found, {}, threshold=0.9) == (found, [])
