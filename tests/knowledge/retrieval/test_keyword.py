"""Which terms choose candidates, and what each is worth."""

from __future__ import annotations

import pytest

from knowledge.models import TermStatistic
from knowledge.retrieval.hits import QueryTerm
from knowledge.retrieval.keyword import (
    MAXIMUM_TERMS,
    WeighedTerms,
    search_keywords,
    weigh_terms,
)
from knowledge.retrieval.scope import Scope, resolve
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import add_document


def weighed(passages: int, **counts: int) -> WeighedTerms:
    terms = tuple(
        QueryTerm(term=term, chunk_count=count, idf=1.0) for term, count in counts.items()
    )
    return WeighedTerms(terms=terms, passages=passages)


@pytest.mark.parametrize(
    ("terms", "chosen", "all_of_them"),
    [
        pytest.param(weighed(3, a=3, b=2, c=1), ("c", "b", "a"), False, id="small base"),
        pytest.param(
            weighed(900, a=1, b=2, c=3, d=4, e=5), ("a", "b", "c", "d"), False, id="four rarest"
        ),
        pytest.param(weighed(10_000, a=10, b=9_000), ("a",), False, id="frequent one left out"),
        pytest.param(weighed(10_000, a=9_000, b=600, c=800), ("b", "c"), True, id="all frequent"),
        pytest.param(weighed(10_000, a=0, b=5), ("b",), False, id="unknown one left out"),
        pytest.param(weighed(10_000, a=0), (), True, id="none known"),
        pytest.param(
            weighed(200_000, a=2_000, b=2_500, c=2_600), ("a", "b"), False, id="enough with two"
        ),
        pytest.param(
            weighed(200_000, a=6_000, b=7_000, c=9_000), ("a", "b"), True, id="each one too many"
        ),
    ],
)
def test_candidates_are_chosen_by_the_rarest_terms(terms, chosen, all_of_them):
    match = terms.choose()
    assert match.terms == chosen
    assert not chosen or match.all_of_them is all_of_them


def test_coverage_is_the_weighed_share_of_the_questions_terms():
    terms = WeighedTerms(
        terms=(
            QueryTerm(term="rare", chunk_count=1, idf=3.0),
            QueryTerm(term="common", chunk_count=50, idf=1.0),
        ),
        passages=100,
    )
    assert [terms.coverage(have) for have in ({"rare"}, {"common"}, {"rare", "common"}, set())] == [
        0.75,
        0.25,
        1.0,
        0.0,
    ]
    assert weighed(10).coverage({"rare"}) == 0.0


def test_counts_are_summed_over_the_searched_bases_only(base, words, victor):
    second, third = make_base(base.space), make_base(base.space)
    for each in (base, second, third):
        add_document(each, "river", "bridge")
    where = resolve(victor.actor, Scope(base_ids=(base.pk, second.pk)))
    terms = weigh_terms("river", where)
    assert (terms.passages, terms.terms[0].chunk_count) == (4, 2)
    assert TermStatistic.objects.filter(term="river").count() == 3


def test_frequent_terms_together_choose_the_passages_that_have_them_all(
    base, words, victor, monkeypatch
):
    monkeypatch.setattr("knowledge.retrieval.keyword.FREQUENT_FROM", 2)
    add_document(base, "river bridge", "river", "bridge", "river museum", "bridge museum")
    where = resolve(victor.actor, Scope())
    found = search_keywords(where, weigh_terms("river bridge", where), limit=10)
    assert len(found) == 1


def test_a_question_without_end_is_weighed_by_its_first_terms(base, victor):
    where = resolve(victor.actor, Scope())
    terms = weigh_terms(" ".join(f"word{n}" for n in range(1_000)), where)
    assert len(terms.terms) == MAXIMUM_TERMS
