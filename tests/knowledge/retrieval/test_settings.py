"""How a search is made: the caller's wishes over the base's options, and what each one does."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pydantic import ValidationError

from core.errors import Invalid
from knowledge.base_settings import BaseSettings, RetrievalOptions
from knowledge.constants import ChunkKind
from knowledge.forms import SettingsForm
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings, effective
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

QUESTION = "notice period for consultants"


def test_a_caller_may_wish_every_option():
    named = {each.name for each in fields(RetrievalSettings)} - {
        "rerank_model_id",
        "embedding_model_id",
    }
    assert named == set(RetrievalOptions.model_fields)


def test_wishes_beat_the_bases_options_and_leave_the_rest():
    base = KnowledgeBase(options={"retrieval": {"limit": 3, "fusion": "rrf", "neighbours": 2}})
    options = effective(RetrievalSettings(fusion="best", graph=False, neighbours=0), [base])
    assert (options.limit, options.fusion, options.neighbours) == (3, "best", 0)


def test_several_bases_are_searched_with_the_defaults():
    base = KnowledgeBase(options={"retrieval": {"limit": 3}})
    assert effective(None, [base, base]) == RetrievalOptions()


@pytest.mark.parametrize(
    "wrong",
    [{"mmr_lambda": 1.5}, {"fusion": "sum"}, {"graph_hops": 9}, {"keyword_weight": float("nan")}],
)
def test_a_wish_out_of_its_range_is_refused_in_words(wrong):
    with pytest.raises(Invalid, match=next(iter(wrong))):
        effective(RetrievalSettings(**wrong), [])
    with pytest.raises(ValidationError):
        BaseSettings.model_validate({"retrieval": wrong})


def test_the_form_shows_the_options_and_keeps_those_of_experts():
    before = BaseSettings.model_validate({"retrieval": {"rrf_k": 20}})
    form = SettingsForm(before, sections={"retrieval"})
    assert "retrieval_rrf_k" not in form.fields
    sent = {name: field.initial for name, field in form.fields.items()}
    form = SettingsForm(before, {**sent, "retrieval_fusion": "best"}, sections={"retrieval"})
    assert form.is_valid(), form.errors
    assert form.settings.retrieval == RetrievalOptions(rrf_k=20, fusion="best")


@pytest.fixture
def handbook(base: KnowledgeBase, words: WordModel) -> dict[str, Document]:
    texts = {
        "notice": "The notice period for consultants is two weeks to the end of a month.",
        "again": "The notice period for consultants is two weeks to the end of any quarter year.",
        "faq": "How long is the notice period? Ask the people office.",
        "travel": "Flights within Europe are booked in economy class by the travel desk.",
    }
    made = {name: add_document(base, text, name=name) for name, text in texts.items()}
    Chunk.objects.filter(document=made["faq"]).update(kind=ChunkKind.FAQ)
    return made


@pytest.fixture
def search(victor: Persona, base: KnowledgeBase):
    def run(query: str = QUESTION, **settings):
        return retrieve(
            victor.actor,
            query=query,
            scope=Scope(base_ids=(base.pk,)),
            settings=RetrievalSettings(**settings),
        )

    return run


def names(found) -> list[str]:
    return [hit.document_name for hit in found.hits]


@pytest.mark.django_db
@pytest.mark.parametrize("fusion", ["coverage", "rrf", "dense", "keyword", "best"])
def test_every_fusion_finds_the_passage_and_traces_its_name(handbook, search, fusion):
    found = search(fusion=fusion)
    assert names(found)[0] in ("notice", "again")
    assert found.trace.fusion == fusion
    assert all(0 <= hit.score <= 1 for hit in found.hits)
    asked = {each.dense_rank is not None for each in found.trace.candidates}
    assert (True in asked) == (fusion != "keyword")


@pytest.mark.django_db
def test_a_search_by_words_alone_asks_no_embedding_model(handbook, search, words):
    words.seen.clear()
    assert search(fusion="keyword").warnings == ()
    assert words.seen == []


@pytest.mark.django_db
def test_what_thresholds_drop_is_in_the_trace_without_a_place_in_fusion(handbook, search):
    found = search(dense_threshold=0.5, keyword_threshold=0.5)
    assert "travel" not in names(found)
    dropped = {e.document_id: e for e in found.trace.candidates if e.dropped_by}
    travel = dropped[handbook["travel"].pk]
    assert (travel.dropped_by, travel.fused_rank, travel.fused_score) == (
        "dense_threshold",
        None,
        None,
    )
    assert travel.dense_rank is not None


@pytest.mark.django_db
def test_weights_move_kinds_and_scores_stay_within_one(handbook, search):
    assert names(search())[0] == "notice"
    heavy = search(faq_weight=5.0)
    assert names(heavy)[0] == "faq"
    assert heavy.hits[0].score == 1.0
    assert heavy.trace.candidates[0].weighed_score == 1.0
    light = {hit.document_name: hit.score for hit in search(faq_weight=0.0).hits}
    assert light["faq"] == 0.0 < light["notice"]
    Document.objects.filter(name="notice").update(source="wiki")
    assert names(search(wiki_weight=0.1))[0] == "again"


@pytest.mark.django_db
def test_variety_lets_a_repetition_wait_and_says_so(handbook, search):
    plain, varied = search(limit=2), search(limit=2, mmr_lambda=0.3)
    assert names(plain) == ["notice", "again"]
    assert "again" not in names(varied)
    again = next(e for e in varied.trace.candidates if e.document_id == handbook["again"].pk)
    assert (again.dropped_by, again.mmr_rank) == ("mmr", 3)
    assert {each.mmr_rank for each in plain.trace.candidates} == {None}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("neighbours", "context"),
    [
        (0, "Notice: two weeks."),
        (1, "b\n\nNotice: two weeks.\n\nc"),
        (2, "a\n\nb\n\nNotice: two weeks.\n\nc\n\nd"),
    ],
)
def test_so_many_neighbours_are_read(base, words, search, neighbours, context):
    add_document(base, "a", "b", "Notice: two weeks.", "c", "d")
    hit = search("notice two weeks", neighbours=neighbours).hits[0]
    assert (hit.text, hit.context) == ("Notice: two weeks.", context)
