"""The one search, through its door, on a real database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from accounts.actors import system_actor
from core.errors import Invalid, NotFound
from core.tenancy import space_scope
from knowledge.constants import DocumentState
from knowledge.ingest.index import unindex_document
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.retrieval.retrieve import MAXIMUM_QUERY_CHARACTERS, retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import (
    BrokenModel,
    PreferringReranker,
    WordModel,
    add_document,
)

PASSAGES = {
    "leave": "Employees take thirty days of annual leave, and unused leave ends in March.",
    "notice": "The notice period for consultants is two weeks to the end of a month.",
    "travel": "Flights within Europe are booked in economy class by the travel desk.",
    "invoice": "Invoice RO-20221108 has a grand total of 4,210 euros, payable in ten days.",
}
QUESTION = "What is the notice period for consultants?"


@pytest.fixture
def handbook(base: KnowledgeBase, words: WordModel) -> dict[str, Document]:
    """Four documents of one passage each."""
    return {name: add_document(base, text, name=f"{name}.txt") for name, text in PASSAGES.items()}


@pytest.fixture
def search(victor, base):
    """Search the base as Victor, who may only read."""

    def run(query: str = QUESTION, **settings):
        return retrieve(
            victor.actor,
            query=query,
            scope=Scope(base_ids=(base.pk,)),
            settings=RetrievalSettings(**settings),
        )

    return run


# What is found


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (QUESTION, "notice"),
        ("annual leave days", "leave"),
        ("RO-20221108", "invoice"),
        ("which class for flights in Europe", "travel"),
    ],
)
def test_the_passage_that_answers_is_the_first_hit(handbook, search, query, name):
    hits = search(query).hits
    assert hits[0].document_id == handbook[name].pk
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert list(hits) == sorted(hits, key=lambda hit: -hit.score)


def test_a_hit_carries_what_a_citation_needs(handbook, search, base):
    chunk = Chunk.objects.get(document=handbook["notice"])
    chunk.page_from, chunk.page_to, chunk.heading_path = 3, 4, ["Contracts", "Consultants"]
    chunk.save()
    hit = search().hits[0]
    assert (hit.chunk_id, hit.document_id, hit.base_id) == (
        chunk.pk,
        handbook["notice"].pk,
        base.pk,
    )
    assert (hit.page_from, hit.page_to, hit.position) == (3, 4, 0)
    assert hit.heading_path == ("Contracts", "Consultants")
    assert (hit.text, hit.document_name) == (PASSAGES["notice"], "notice.txt")
    assert (hit.content_hash, hit.document_revision) == (chunk.content_hash, 1)
    assert 0 <= hit.score <= 1
    assert 0 < hit.keyword_score <= 1
    assert hit.dense_score == pytest.approx(0.6, abs=0.4)


def test_a_base_with_one_document_finds_it(base, words, search):
    document = add_document(base, PASSAGES["notice"])
    assert [hit.document_id for hit in search().hits] == [document.pk]
    assert search().confident is True


def test_a_base_with_three_documents_finds_the_right_one(base, words, search):
    documents = [add_document(base, PASSAGES[name]) for name in ("leave", "notice", "travel")]
    assert search().hits[0].document_id == documents[1].pk


def test_a_base_without_documents_finds_nothing(base, words, search):
    found = search()
    assert (found.hits, found.confident, found.warnings) == ((), False, ())


def test_words_alone_find_a_passage_without_a_vector(base, words, search):
    document = add_document(base, PASSAGES["notice"], model=WordModel(identity="older/1"))
    found = search()
    assert [hit.document_id for hit in found.hits] == [document.pk]
    assert found.hits[0].dense_score is None


def test_meaning_alone_finds_a_passage_without_common_words(base, words, search):
    document = add_document(base, "Two weeks.")
    found = search("Zwei Wochen?")
    assert [hit.document_id for hit in found.hits] == [document.pk]
    assert found.trace.candidates[0].keyword_rank is None


@pytest.mark.parametrize("limit", [1, 3])
def test_the_limit_is_kept(handbook, search, limit):
    assert len(search(limit=limit).hits) == limit


def test_a_bases_own_options_hold_when_the_caller_wishes_nothing(handbook, victor, base):
    KnowledgeBase.objects.filter(pk=base.pk).update(options={"retrieval": {"limit": 2}})
    found = retrieve(victor.actor, query=QUESTION, scope=Scope(base_ids=(base.pk,)))
    assert len(found.hits) == 2


def test_an_unanswerable_question_is_reported_and_still_has_hits(handbook, search):
    found = search("How tall is the lighthouse of Alexandria in Egypt?")
    assert found.confident is False
    assert found.hits


def test_a_question_in_another_language_has_no_confidence(handbook, search):
    found = search("顾问的通知期是多长？")
    assert found.other_language is True
    assert found.confident is None


# Scope and access


def test_a_member_of_another_space_finds_nothing(handbook, base, mallory):
    with mallory.scope(), pytest.raises(NotFound):
        retrieve(mallory.actor, query=QUESTION, scope=Scope(base_ids=(base.pk,)))
    with mallory.scope():
        assert retrieve(mallory.actor, query=QUESTION, scope=Scope()).hits == ()


def test_the_other_spaces_actor_finds_nothing_even_inside_of_this_space(handbook, mallory):
    assert retrieve(mallory.actor, query=QUESTION, scope=Scope()).hits == ()


def test_an_actor_without_a_role_finds_nothing(handbook, victor):
    stranger = replace(victor.actor, role=None)
    assert retrieve(stranger, query=QUESTION, scope=Scope()).hits == ()


def test_a_key_without_the_right_scope_finds_nothing(handbook, victor):
    key = replace(victor.actor, kind="api_key", scopes=frozenset({"bases.view"}))
    assert retrieve(key, query=QUESTION, scope=Scope()).hits == ()


def test_without_ids_every_visible_base_is_searched(handbook, victor, base):
    other = make_base(base.space)
    add_document(other, "Consultants have a notice period of one day in the other base.")
    found = retrieve(victor.actor, query=QUESTION, scope=Scope())
    assert {hit.base_id for hit in found.hits} == {base.pk, other.pk}


def test_an_empty_list_of_bases_is_no_base(handbook, victor):
    assert retrieve(victor.actor, query=QUESTION, scope=Scope(base_ids=())).hits == ()


def test_only_named_bases_are_searched(handbook, victor, base):
    other = make_base(base.space)
    document = add_document(other, "Something else entirely.")
    found = retrieve(victor.actor, query=QUESTION, scope=Scope(base_ids=(other.pk,)))
    assert [hit.document_id for hit in found.hits] == [document.pk]


def test_only_named_documents_are_searched(handbook, victor, base):
    scope = Scope(base_ids=(base.pk,), document_ids=(handbook["travel"].pk,))
    found = retrieve(victor.actor, query=QUESTION, scope=scope)
    assert [hit.document_id for hit in found.hits] == [handbook["travel"].pk]


UNKNOWN = [
    pytest.param(Scope(base_ids=(uuid4(),)), id="base"),
    pytest.param(Scope(document_ids=(uuid4(),)), id="document"),
]


@pytest.mark.parametrize("scope", UNKNOWN)
def test_an_unknown_id_is_not_found(handbook, victor, scope):
    with pytest.raises(NotFound):
        retrieve(victor.actor, query=QUESTION, scope=scope)


@pytest.mark.parametrize("scope", UNKNOWN)
def test_an_unknown_id_of_a_stored_list_selects_nothing_and_warns(handbook, victor, scope):
    found = retrieve(victor.actor, query=QUESTION, scope=replace(scope, strict=False))
    assert found.hits == ()
    assert "cannot be seen or are gone" in found.warnings[0]


def test_a_disabled_passage_is_not_found(handbook, search):
    Chunk.objects.filter(document=handbook["notice"]).update(is_enabled=False)
    found = search()
    assert handbook["notice"].pk not in {each.document_id for each in found.trace.candidates}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"searchable_at": None}, id="not yet searchable"),
        pytest.param({"state": DocumentState.DELETING}, id="being deleted"),
    ],
)
def test_a_document_that_is_not_to_be_found_is_not_found(handbook, search, change):
    Document.objects.filter(pk=handbook["notice"].pk).update(**change)
    assert handbook["notice"].pk not in {each.document_id for each in search().trace.candidates}


def test_a_document_out_of_the_index_is_not_found(handbook, search):
    unindex_document(handbook["notice"])
    assert handbook["notice"].pk not in {each.document_id for each in search().trace.candidates}


def test_the_platform_itself_may_search_a_space(handbook, base):
    with space_scope(base.space_id):
        actor = system_actor(space_id=base.space_id)
        assert retrieve(actor, query=QUESTION, scope=Scope()).hits


# Order


def test_the_same_search_gives_the_same_result(handbook, search):
    first, second = search(), search()
    assert (first.hits, first.trace) == (second.hits, second.trace)


def test_equal_passages_come_in_the_order_of_document_and_position(base, words, search):
    add_document(base, "Notice period.", "notice period", "NOTICE PERIOD", name="same.txt")
    add_document(base, "notice period!", "notice, period", "Notice Period", name="same.txt")
    ids = [(str(hit.document_id), hit.position) for hit in search("notice period").hits]
    assert len(ids) == 6
    assert ids == sorted(ids)


# Models that fail


def test_a_broken_embedding_model_leaves_the_search_by_words(handbook, search, monkeypatch):
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: BrokenModel())
    found = search()
    assert found.hits[0].document_id == handbook["notice"].pk
    assert "searched by words only" in found.warnings[0]
    assert "does not answer" in found.warnings[0]
    assert found.confident is True


def test_a_base_without_an_embedding_model_is_searched_by_words(handbook, search, monkeypatch):
    def missing(row):
        raise NotFound("No embedding model is chosen.")

    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", missing)
    found = search()
    assert found.hits[0].document_id == handbook["notice"].pk
    assert "Handbook was searched by words only. No embedding model is chosen." in found.warnings


def test_a_base_that_another_model_embedded_is_searched_with_a_warning(handbook, search, base):
    KnowledgeBase.objects.filter(pk=base.pk).update(embedding_identity="older/1")
    assert "Handbook was embedded with another model" in search().warnings[0]


def test_bases_of_two_models_are_searched_each_with_its_own(base, words, victor, monkeypatch):
    second = WordModel(identity="words/2", dimensions=64)
    other = make_base(base.space, name="Other")
    models = {base.pk: words, other.pk: second}
    rows: Iterator[WordModel] = iter([])

    def by_base(bases):
        nonlocal rows
        rows = iter([models[each.pk] for each in bases])
        return [[each] for each in bases]

    monkeypatch.setattr("knowledge.retrieval.models._by_model", by_base)
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: next(rows))
    add_document(base, PASSAGES["notice"], model=words)
    add_document(other, PASSAGES["leave"], "Two weeks of notice period.", model=second)
    found = retrieve(victor.actor, query=QUESTION, scope=Scope())
    assert {hit.base_id for hit in found.hits} == {base.pk, other.pk}
    assert all(hit.dense_score is not None for hit in found.hits)
    assert [each.dense_rank for each in found.trace.candidates].count(1) == 2


# Reranking


def test_a_reranker_orders_passages_in_another_language(handbook, search, monkeypatch):
    model = PreferringReranker("travel")
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: model)
    found = search("顾问的通知期是多长？")
    assert found.trace.rerank_mode == "pure"
    assert found.hits[0].document_id == handbook["travel"].pk
    assert found.hits[0].rerank_score == 1.0
    assert model.calls[0][0] == "顾问的通知期是多长？"


def test_a_reranker_is_not_asked_when_the_best_passage_leads(handbook, search, monkeypatch):
    model = PreferringReranker("travel")
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: model)
    found = search()
    assert (found.trace.rerank_mode, model.calls) == ("none", [])
    assert found.hits[0].document_id == handbook["notice"].pk


def test_a_reranker_is_never_asked_when_the_base_says_so(handbook, search, monkeypatch):
    model = PreferringReranker("travel")
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: model)
    assert search("顾问的通知期是多长？", rerank="never").trace.rerank_mode == "none"
    assert model.calls == []


def test_a_reranker_that_is_always_asked_mixes_with_the_search(handbook, search, monkeypatch):
    model = PreferringReranker("travel")
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: model)
    found = search(rerank="always")
    assert found.trace.rerank_mode == "mix"
    assert found.hits[0].document_id == handbook["notice"].pk
    assert found.hits[1].document_id == handbook["travel"].pk


def test_a_broken_reranker_leaves_the_order_and_warns(handbook, search, monkeypatch):
    monkeypatch.setattr(
        "knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: BrokenModel()
    )
    found = search(rerank="always")
    assert found.hits == search(rerank="never").hits
    assert "The rerank model failed (the model server does not answer)" in found.warnings[0]
    assert found.trace.rerank_mode == "none"


def test_a_wished_reranker_that_the_space_lacks_is_told(handbook, search):
    assert "no rerank model" in search(rerank="always").warnings[0]
    assert search(rerank="auto").warnings == ()


# Duplicates and neighbours


def test_the_same_text_is_a_hit_only_once(base, words, search):
    for name in ("a.txt", "b.txt"):
        add_document(base, PASSAGES["notice"], name=name)
    found = search()
    assert len(found.hits) == 1
    dropped = found.trace.candidates[1]
    assert dropped.dropped_by == "duplicate"
    assert str(found.hits[0].chunk_id) in dropped.reason


def test_two_rows_that_differ_in_a_number_are_both_hits(base, words, search):
    row = "Invoice for consultants in the notice period of the river bridge museum number {}"
    add_document(base, row.format(17), row.format(18))
    assert len(search().hits) == 2


def test_a_short_passage_comes_with_its_neighbours(base, words, search):
    add_document(base, "Who it is for.", "Notice period: two weeks.", "How to resign.")
    hit = search("notice period").hits[0]
    assert hit.text == "Notice period: two weeks."
    assert hit.context == "Who it is for.\n\nNotice period: two weeks.\n\nHow to resign."


def test_a_disabled_neighbour_is_not_read(base, words, search):
    add_document(base, "Secret salary list.", "Notice period: two weeks.")
    Chunk.objects.filter(position=0).update(is_enabled=False)
    assert search("notice period").hits[0].context == "Notice period: two weeks."


# Trace


def test_the_trace_tells_of_every_candidate_and_why_it_is_no_hit(handbook, search):
    found = search(limit=2)
    candidates = found.trace.candidates
    assert {each.document_id for each in candidates} == {each.pk for each in handbook.values()}
    assert [each.final_rank for each in candidates] == [1, 2, None, None]
    assert [each.dropped_by for each in candidates] == [None, None, "limit", "limit"]
    assert [bool(each.reason) for each in candidates] == [False, False, True, True]
    assert sorted(each.fused_rank for each in candidates) == [1, 2, 3, 4]
    assert sorted(each.dense_rank or 0 for each in candidates) == [1, 2, 3, 4]
    best = candidates[0]
    assert (best.dense_rank, best.keyword_rank, best.fused_rank) == (1, 1, 1)
    assert best.matched_terms == ("notic", "period", "consult")


def test_the_trace_tells_the_terms_of_the_question(handbook, search):
    trace = search("notice period zeppelin").trace
    assert [(each.term, each.chunk_count) for each in trace.terms] == [
        ("notic", 1),
        ("period", 1),
        ("zeppelin", 0),
    ]
    assert trace.terms[2].idf > trace.terms[0].idf
    assert (trace.matched_by, trace.passages, trace.exact) == (("notic", "period"), 4, True)


def test_the_rerank_models_ranks_and_scores_are_traced(handbook, search, monkeypatch):
    model = PreferringReranker("travel")
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: model)
    candidates = search("顾问的通知期是多长？", limit=1).trace.candidates
    assert [each.rerank_rank for each in candidates] == [1, 2, 3, 4]
    assert candidates[0].rerank_score == 1.0


def test_every_stage_is_timed(handbook, search):
    assert list(search().timings_ms) == [
        "scope",
        "analyse",
        "embed",
        "dense",
        "keyword",
        "load",
        "fuse",
        "rerank",
        "order",
        "expand",
    ]


def test_the_whole_result_is_json(handbook, search):
    found = search()
    value = json.loads(json.dumps(found.to_json()))
    assert value["hits"][0]["chunk_id"] == str(found.hits[0].chunk_id)
    assert value["trace"]["candidates"][0]["matched_terms"] == ["notic", "period", "consult"]


# Odd questions


@pytest.mark.parametrize("query", ["", "  \n", "\x00"])
def test_an_empty_question_is_refused(handbook, search, query):
    with pytest.raises(Invalid, match="empty"):
        search(query)


def test_a_question_of_a_hundred_thousand_characters_is_refused(handbook, search):
    with pytest.raises(Invalid, match="100,000 characters"):
        search("a" * 100_000)


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("the of and", id="only stop words"),
        pytest.param("?!…", id="only punctuation"),
        pytest.param("it's 'quoted' \\ & | ! : * ( ) %s %(x)s {}", id="syntax of queries"),
        pytest.param("\ud800 notice", id="half a surrogate pair"),
        pytest.param("🙂🙃", id="emoji"),
        pytest.param("word " * (MAXIMUM_QUERY_CHARACTERS // 5), id="as long as may be"),
        pytest.param(" ".join(f"w{n}" for n in range(1500)), id="many words"),
    ],
)
def test_odd_questions_are_searched_without_an_error(handbook, search, query):
    assert search(query).query
