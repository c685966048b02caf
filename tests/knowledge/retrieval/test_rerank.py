"""When a reranker is asked, and what its answer does to the order."""

from __future__ import annotations

from uuid import UUID

import pytest

from knowledge.retrieval.fuse import Candidate, Ranked
from knowledge.retrieval.rerank import CLEAR_LEAD, DEPTH, decide, rerank
from tests.knowledge.search_models import PreferringReranker


def ranked(*scores: float, coverage: float = 0.3) -> list[Ranked]:
    return [
        Ranked(
            candidate=Candidate(
                chunk_id=UUID(int=number),
                document_id=UUID(int=1),
                position=number,
                identity=None,
                dense_score=None,
                dense_rank=None,
                keyword_rank=number,
                keyword_score=coverage,
                terms=frozenset(),
            ),
            score=score,
        )
        for number, score in enumerate(scores, 1)
    ]


def texts_of(found: list[Ranked], text: str = "passage {}") -> dict[UUID, str]:
    return {each.candidate.chunk_id: text.format(each.candidate.position) for each in found}


def positions(found: list[Ranked]) -> list[int]:
    return [each.candidate.position for each in found]


@pytest.mark.parametrize(
    ("wish", "scores", "question", "mode"),
    [
        ("auto", (0.9, 0.9 - CLEAR_LEAD - 0.01), "a question", "none"),
        ("auto", (0.9, 0.9 - CLEAR_LEAD + 0.01), "a question", "mix"),
        ("auto", (0.9, 0.1), "一个问题", "pure"),
        ("auto", (0.9,), "一个问题", "none"),
        ("auto", (), "a question", "none"),
        ("always", (0.9, 0.1), "a question", "mix"),
        ("always", (0.9, 0.1), "一个问题", "pure"),
        ("never", (0.9, 0.89), "一个问题", "none"),
    ],
)
def test_the_reranker_is_asked_where_it_helps(wish, scores, question, mode):
    found = ranked(*scores)
    decision = decide(wish, question=question, ranked=found, texts=texts_of(found))
    assert decision.mode == mode
    assert decision.reason.endswith(".")


def test_a_code_that_a_foreign_passage_has_keeps_the_searches_order():
    found = ranked(0.9, 0.1, coverage=1.0)
    decision = decide(
        "auto", question="RO-20221108", ranked=found, texts=texts_of(found, "发票 {}")
    )
    assert decision.mode == "none"


def test_its_order_alone_replaces_the_searches():
    found = ranked(0.9, 0.8, 0.7)
    model = PreferringReranker("passage 3")
    done = rerank(model, mode="pure", question="q", ranked=found, texts=texts_of(found))
    assert positions(done.ranked) == [3, 1, 2]
    assert done.scores[UUID(int=3)] == 1.0


def test_mixed_a_clear_leader_stays_ahead():
    found = ranked(0.9, 0.3, 0.2)
    model = PreferringReranker("passage 3")
    done = rerank(model, mode="mix", question="q", ranked=found, texts=texts_of(found))
    assert positions(done.ranked) == [1, 3, 2]


@pytest.mark.parametrize("mode", ["mix", "pure"])
def test_scores_stay_in_their_range_and_in_order(mode):
    found = ranked(*(1 - number / 40 for number in range(30)))
    model = PreferringReranker("passage 15")
    done = rerank(model, mode=mode, question="q", ranked=found, texts=texts_of(found))
    scores = [each.score for each in done.ranked]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) == found[0].score
    assert sorted(positions(done.ranked)) == list(range(1, 31))


def test_only_the_first_candidates_are_sent():
    found = ranked(*(1 - number / 40 for number in range(30)))
    model = PreferringReranker("nothing")
    done = rerank(model, mode="pure", question="q", ranked=found, texts=texts_of(found))
    assert len(model.calls[0][1]) == DEPTH == len(done.scores)
    assert positions(done.ranked)[DEPTH:] == list(range(DEPTH + 1, 31))


def test_equal_answers_leave_the_order_of_document_and_position():
    found = ranked(0.9, 0.8, 0.7)
    model = PreferringReranker("passage")
    done = rerank(model, mode="pure", question="q", ranked=found, texts=texts_of(found))
    assert positions(done.ranked) == [1, 2, 3]
