"""Searching by the graph: named entities, hops, and nothing that rests on what is closed."""

from __future__ import annotations

import pytest

from accounts.access import Actor
from core.errors import NotFound
from knowledge.access.restrict import Place, restrict
from knowledge.graph.exploring import explore
from knowledge.graph.queries import entity_detail, overview
from knowledge.graph.searching import graph_candidates, named_entities, names_of
from knowledge.models import Chunk, Document, GraphEntity, KnowledgeBase
from knowledge.retrieval.scope import Scope, Searched, resolve
from tests.factories.graphs import make_graph, switch_on
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db
OWNS = ("Harbour Trust", "owns", "Pier 7")
KEEPS = ("Ada Lind", "keeps", "Pier 7")
WED = ("Ada Lind", "is married to", "Bo Ek")


@pytest.fixture
def chunks(base: KnowledgeBase) -> list[Chunk]:
    """Three passages of three documents: trust – pier – keeper – spouse."""
    switch_on(base)
    found = []
    for number, triple in enumerate((OWNS, KEEPS, WED)):
        document = make_document(base, name=f"{number}.txt", texts=[" ".join(triple) + "."])
        chunk = Chunk.objects.get(document=document)
        make_graph(chunk, triples=[triple])
        found.append(chunk)
    return found


def seen(actor: Actor, base: KnowledgeBase) -> Searched:
    return resolve(actor, Scope(base_ids=(base.pk,)))


def found(actor: Actor, base: KnowledgeBase, question: str, hops: int = 1) -> list[str]:
    hits = graph_candidates(seen(actor, base), question, limit=10, hops=hops)
    assert all(0 < hit.score <= 1 for hit in hits)
    texts = dict(Chunk.objects.values_list("pk", "text"))
    return [texts[hit.chunk_id] for hit in hits]


def test_hops_lead_from_passage_to_passage(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    question = "What does the harbour trust have?"
    trust, keeper, spouse = (chunk.text for chunk in chunks)
    assert found(victor.actor, base, question, hops=0) == [trust]
    assert found(victor.actor, base, question, hops=1) == [trust, keeper]
    assert found(victor.actor, base, question, hops=2) == [trust, keeper, spouse]
    assert found(victor.actor, base, question, hops=2) == found(
        victor.actor, base, question, hops=9
    )


def test_passages_of_several_named_entities_come_first(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    [best, *_] = found(victor.actor, base, "Is Ada Lind the keeper of Pier 7?")
    assert best == chunks[1].text


@pytest.mark.parametrize(
    "question",
    ["Harbour Trust?", "the trust of the harbours", "HARBUOR TRUST", "harbor trust"],
)
def test_names_are_found_in_other_spellings(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk], question: str
) -> None:
    assert chunks[0].text in found(victor.actor, base, question, hops=0)


def test_chinese_names_are_found_in_a_question_without_spaces(
    victor: Persona, base: KnowledgeBase
) -> None:
    switch_on(base)
    document = make_document(base, texts=["中国石油在上海有一家公司。"])
    make_graph(Chunk.objects.get(document=document), triples=[("中国石油", "位于", "上海")])
    assert len(found(victor.actor, base, "请问中国石油在哪里？", hops=0)) == 1
    assert found(victor.actor, base, "北京在哪里？") == []


def test_nothing_named_finds_nothing(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    assert found(victor.actor, base, "What is the weather like tomorrow?") == []
    assert graph_candidates(seen(victor.actor, base), "Pier 7", limit=0) == []


def test_other_bases_and_named_documents_bound_the_search(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    other = make_base(victor.space)
    assert found(victor.actor, other, "Harbour Trust") == []
    scope = Scope(base_ids=(base.pk,), document_ids=(chunks[0].document_id,))
    hits = graph_candidates(resolve(victor.actor, scope), "Harbour Trust", limit=10, hops=2)
    assert [hit.chunk_id for hit in hits] == [chunks[0].pk]


@pytest.fixture
def closed(olivia: Persona, base: KnowledgeBase, chunks: list[Chunk]) -> Document:
    """The document that says who keeps the pier is restricted; victor may not read it."""
    document = Document.objects.get(pk=chunks[1].document_id)
    place = Place(base_id=base.pk, document_id=document.pk)
    restrict(olivia.actor, place, user_ids=[], group_ids=[])
    return document


def test_a_walk_does_not_go_over_what_is_closed(
    olivia: Persona,
    victor: Persona,
    base: KnowledgeBase,
    chunks: list[Chunk],
    closed: Document,
) -> None:
    assert len(found(olivia.actor, base, "Harbour Trust", hops=2)) == 3
    assert found(victor.actor, base, "Harbour Trust", hops=2) == [chunks[0].text]


def test_entities_descriptions_and_counts_are_those_of_what_the_reader_sees(
    olivia: Persona,
    victor: Persona,
    base: KnowledgeBase,
    chunks: list[Chunk],
    closed: Document,
) -> None:
    make_graph(chunks[1], names=["Secret Plan", "PIER 7"], triples=[KEEPS], kind="secret kind")
    whole, part = overview(olivia.actor, base), overview(victor.actor, base)
    assert "Secret Plan" in {node.name for node in whole.nodes}
    assert {node.name for node in part.nodes} == {"Harbour Trust", "Pier 7", "Ada Lind", "Bo Ek"}
    assert part.total == 4
    assert part.kinds == ("thing",)
    assert {line.kind for line in part.lines} == {"owns", "is married to"}
    [pier] = [node for node in part.nodes if node.name == "Pier 7"]
    assert pier.passages == 1
    detail = entity_detail(victor.actor, base, pier.id)
    assert [each.kind for each in detail.neighbours] == ["owns"]
    assert all("keeps" not in text for text in detail.descriptions)
    assert [row.chunk_id for row in detail.evidence] == [chunks[0].pk]
    secret = GraphEntity.objects.get(normalised_name="secret plan")
    assert names_of(seen(victor.actor, base), [secret.pk]) == {}
    assert named_entities(seen(victor.actor, base), "Secret Plan") == {}
    with pytest.raises(NotFound):
        entity_detail(victor.actor, base, secret.pk)
    told = explore(
        victor.actor,
        question="Pier 7 / Secret Plan",
        scope=Scope(base_ids=(base.pk,)),
        hops=2,
        limit=10,
    )
    assert told.named == ("Pier 7",)
    assert {each.kind for each in told.statements} == {"owns"}


def test_passages_that_say_something_else_now_are_no_evidence(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    Chunk.objects.filter(pk=chunks[0].pk).update(text="Nothing.", content_hash="0" * 64)
    assert found(victor.actor, base, "Harbour Trust") == []


def test_documents_in_the_trash_are_no_evidence(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    Document.objects.filter(pk=chunks[0].document_id).update(trashed_at="2026-01-01T00:00:00Z")
    assert found(victor.actor, base, "Harbour Trust") == []


def test_the_overview_is_narrowed_by_name_and_kind(
    victor: Persona, base: KnowledgeBase, chunks: list[Chunk]
) -> None:
    make_graph(chunks[2], triples=[WED], kind="person")
    people = overview(victor.actor, base, kind="person")
    assert {node.name for node in people.nodes} == {"Ada Lind", "Bo Ek"}
    assert people.kinds == ("person", "thing")
    assert [node.name for node in overview(victor.actor, base, text="HARB").nodes] == [
        "Harbour Trust"
    ]
    assert overview(victor.actor, base, text="100%_").nodes == ()
