"""The place of evidence in another language: at most the last one, and only where it may help."""

from __future__ import annotations

import pytest

from knowledge.models import KnowledgeBase
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db
QUESTION = "How tall is the lighthouse of Alexandria and who built it?"
FOREIGN = "亚历山大灯塔高约一百米，由索斯特拉特建造。"


@pytest.fixture
def search(victor: Persona, base: KnowledgeBase, words: WordModel):
    def run(query: str = QUESTION, limit: int = 3, **settings):
        return retrieve(
            victor.actor,
            query=query,
            scope=Scope(base_ids=(base.pk,)),
            settings=RetrievalSettings(limit=limit, **settings),
        )

    return run


@pytest.fixture
def crowd(base: KnowledgeBase, words: WordModel) -> None:
    """Sixty English passages that share a word with the question: all fifty nearest, and more."""
    texts = [f"The tall bridge number {n} of river {n * 7} stays closed." for n in range(60)]
    add_document(base, *texts, name="bridges")


@pytest.fixture
def chinese(base: KnowledgeBase, words: WordModel):
    return add_document(base, FOREIGN, name="chinese")


def names(found) -> list[str]:
    return [hit.document_name for hit in found.hits]


def test_the_last_place_is_kept_where_no_hit_answers(crowd, chinese, search):
    found = search()
    assert names(found) == ["bridges", "bridges", "chinese"]
    assert found.trace.language_place == found.hits[-1].chunk_id
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)
    displaced = [e for e in found.trace.candidates if "another language" in e.reason]
    assert [each.dropped_by for each in displaced] == ["limit"]
    ids = [each.chunk_id for each in found.trace.candidates]
    assert len(ids) == len(set(ids))


def test_the_other_places_stay_as_they_were(crowd, search, base, words):
    before = search()
    add_document(base, FOREIGN, name="chinese")
    assert [hit.chunk_id for hit in search().hits[:2]] == [hit.chunk_id for hit in before.hits[:2]]
    assert search().hits == search().hits


def test_a_search_for_one_passage_keeps_no_place(crowd, chinese, search):
    assert names(search(limit=1)) == ["bridges"]


def test_no_place_is_kept_where_a_hit_answers(crowd, chinese, base, search):
    add_document(base, "Who built the tall lighthouse of Alexandria? Sostratus.", name="answer")
    found = search()
    assert found.confident is True
    assert "chinese" not in names(found)
    assert found.trace.language_place is None


def test_no_place_is_kept_where_the_base_has_one_language(crowd, search):
    assert search().trace.language_place is None


@pytest.mark.parametrize(
    "settings", [{"fusion": "keyword"}, {"dense_threshold": 0.99, "keyword_threshold": 0.01}]
)
def test_no_place_is_kept_for_what_meaning_does_not_name(crowd, chinese, search, settings):
    assert "chinese" not in names(search(**settings))


def test_a_passage_that_is_switched_off_gets_no_place(crowd, chinese, search):
    chinese.chunks.update(is_enabled=False)
    assert search().trace.language_place is None
