"""The graph as a further list: a registered search joins, is checked, and may fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from core.errors import ServiceFailed
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.retrieval.graph import GraphHit, register_graph_search
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope, Searched
from knowledge.retrieval.settings import RetrievalSettings
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db
QUESTION = "What is the notice period for consultants?"


@dataclass(frozen=True)
class Hit:
    chunk_id: UUID
    document_id: UUID
    position: int
    score: float


class Mentions:
    """Finds permitted passages that mention a word: a small graph of one entity."""

    def __init__(self, word: str, score: float = 0.9) -> None:
        self.word, self.score = word, score
        self.asked: list[tuple[str, int, int]] = []

    def __call__(
        self, where: Searched, question: str, *, limit: int, hops: int
    ) -> Sequence[GraphHit]:
        self.asked.append((question, limit, hops))
        rows = where.chunks.filter(text__icontains=self.word)[:limit]
        return [Hit(row.pk, row.document_id, row.position, self.score) for row in rows]


@pytest.fixture(autouse=True)
def _no_graph_afterwards() -> Iterator[None]:
    yield
    register_graph_search(None)


@pytest.fixture
def handbook(base: KnowledgeBase, words: WordModel) -> dict[str, Document]:
    texts = {
        "notice": "The notice period for consultants is two weeks to the end of a month.",
        "linked": "Zeppelin GmbH hands over on the fifteenth.",
    }
    made = {name: add_document(base, text, name=name) for name, text in texts.items()}
    # Nothing but the graph finds it: its vector is another model's.
    made["linked"].chunks.get().embeddings.update(identity="older/1")
    return made


@pytest.fixture
def search(victor: Persona, base: KnowledgeBase):
    def run(**settings):
        return retrieve(
            victor.actor,
            query=QUESTION,
            scope=Scope(base_ids=(base.pk,)),
            settings=RetrievalSettings(**settings),
        )

    return run


def test_without_a_graph_the_setting_changes_nothing(handbook, search):
    assert search(graph=True).hits == search(graph=False).hits


def test_the_graph_is_asked_only_where_it_is_switched_on(handbook, search):
    register_graph_search(graph := Mentions("zeppelin"))
    assert [hit.document_id for hit in search().hits] == [handbook["notice"].pk]
    assert graph.asked == []


@pytest.mark.parametrize("fusion", ["coverage", "rrf", "best"])
def test_a_passage_of_the_graph_joins_the_others(handbook, search, fusion):
    register_graph_search(graph := Mentions("zeppelin"))
    found = search(graph=True, graph_hops=2, fusion=fusion)
    assert {hit.document_id for hit in found.hits} == {each.pk for each in handbook.values()}
    assert graph.asked == [(QUESTION, 50, 2)]
    of_graph = next(e for e in found.trace.candidates if e.document_id == handbook["linked"].pk)
    assert (of_graph.graph_rank, of_graph.graph_score) == (1, 0.9)
    assert (of_graph.dense_rank, of_graph.keyword_rank) == (None, None)
    assert "graph" in found.timings_ms


@pytest.mark.parametrize("fusion", ["dense", "keyword"])
def test_one_list_alone_leaves_the_graph_out(handbook, search, fusion):
    register_graph_search(graph := Mentions("zeppelin"))
    found = search(graph=True, fusion=fusion)
    assert (graph.asked, [hit.document_id for hit in found.hits]) == ([], [handbook["notice"].pk])


def test_what_the_graph_names_beyond_the_scope_is_not_read(handbook, search, base):
    other = make_base(base.space)
    secret = add_document(other, "Zeppelin salaries.").chunks.get()
    hits = [Hit(secret.pk, secret.document_id, 0, 1.0), Hit(uuid4(), uuid4(), 0, 1.0)]
    register_graph_search(lambda where, question, *, limit, hops: hits)
    found = search(graph=True)
    assert [hit.document_id for hit in found.hits] == [handbook["notice"].pk]
    assert {e.document_id for e in found.trace.candidates} == {handbook["notice"].pk}


def test_odd_scores_stay_within_their_range_and_the_order_is_total(handbook, search):
    chunks = list(Chunk.objects.order_by("pk"))
    odd = [float("nan"), 7.0]
    hits = [Hit(c.pk, c.document_id, c.position, s) for c, s in zip(chunks, odd, strict=True)]
    register_graph_search(lambda where, question, *, limit, hops: hits)
    one = search(graph=True)
    hits.reverse()
    assert search(graph=True).hits == one.hits
    assert {each.graph_score for each in one.trace.candidates} == {0.0, 1.0}


def test_a_graph_that_fails_makes_the_search_worse_not_impossible(handbook, search):
    def broken(where, question, *, limit, hops):
        raise ServiceFailed("the graph is being built")

    register_graph_search(broken)
    found = search(graph=True)
    assert [hit.document_id for hit in found.hits] == [handbook["notice"].pk]
    assert found.warnings == ("The graph could not be searched: the graph is being built",)
