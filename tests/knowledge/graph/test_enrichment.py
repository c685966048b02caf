"""Reading a graph out of documents: passage by passage, once, with the reasons of what failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.engine.testing import say
from core.errors import AccessDenied, Conflict, Invalid
from core.jobs.work import work
from knowledge.constants import EnrichmentState, StageName
from knowledge.corrections.edit import edit_chunk, set_enabled
from knowledge.graph import enrichment
from knowledge.graph.queries import failed_passages, overview, unread_passages
from knowledge.graph.services import build_graph, clear_graph, preview_graph, stop_graph
from knowledge.models import (
    Chunk,
    Document,
    GraphEntity,
    GraphMention,
    GraphPassage,
    GraphRelation,
    KnowledgeBase,
    Stage,
)
from knowledge.organising.bulk import Selection
from knowledge.organising.carry import move_to_base
from knowledge.services.documents import retry_document
from providers.contracts.errors import ModelError
from tests.factories.graphs import switch_on
from tests.factories.knowledge import make_base
from tests.knowledge.enrich.conftest import (
    Script,
    add,
    base,
    enrich,
    quiet_installation,
    read,
    script,
)
from tests.personas import Persona

__all__ = ["base", "quiet_installation", "script"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def graph_base(base: KnowledgeBase) -> KnowledgeBase:
    base.options["enrichment"] = {"summary": False}
    return switch_on(base)


def answer(*triples: tuple[str, str, str], names: tuple[str, ...] = ()) -> Any:
    ends = [end for source, _, target in triples for end in (source, target)]
    return say(
        json.dumps(
            {
                "entities": [
                    {"name": name, "kind": "thing", "description": f"About {name}."}
                    for name in dict.fromkeys([*names, *ends])
                ],
                "relations": [
                    {"source": source, "kind": kind, "target": target, "description": ""}
                    for source, kind, target in triples
                ],
            }
        )
    )


LAMPS = answer(("keeper", "fills", "tank"), names=("lamp",))
ROPES = answer(("Ropes", "hang in", "store"))


def names() -> set[str]:
    return set(GraphEntity.objects.values_list("normalised_name", flat=True))


def stage_of(document: Document) -> Stage:
    return Stage.objects.get(document=document, attempt=document.attempt, name=StageName.GRAPH)


def test_a_document_gives_its_graph(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    model = script([LAMPS, ROPES])
    document = enrich(read(add(olivia, graph_base)))
    assert names() == {"lamp", "keeper", "tank", "ropes", "store"}
    assert document.enrichment == EnrichmentState.DONE
    stage = stage_of(document)
    assert (stage.detail["calls"], stage.detail["entities"], stage.detail["relations"]) == (2, 5, 2)
    assert "burns all night" in str(model.asked[0][-1].content)
    seen = overview(olivia.actor, graph_base)
    assert {(node.name, node.kind, node.passages) for node in seen.nodes} >= {("Ropes", "thing", 1)}
    assert len(seen.lines) == 2
    assert unread_passages(graph_base) == 0


def test_nothing_is_read_where_the_base_has_no_graph(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    base.options["enrichment"] = {"summary": False}
    base.save()
    script([])
    enrich(read(add(olivia, base)))
    assert names() == set()


def test_a_document_that_is_read_again_costs_nothing_for_what_stands(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([LAMPS, ROPES])
    document = enrich(read(add(olivia, graph_base)))
    before = set(GraphEntity.objects.values_list("pk", flat=True))
    retry_document(olivia.actor, document_id=document.pk)
    enrich(read(document))
    assert set(GraphEntity.objects.values_list("pk", flat=True)) == before


def test_an_edited_passage_loses_its_part_at_once_and_is_read_anew(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([LAMPS, ROPES, answer(names=("beacon", "lamp"))])
    enrich(read(add(olivia, graph_base)))
    Document.objects.update(summary_is_edited=True)  # an edit asks for no new one
    chunk = Chunk.objects.get(text__contains="burns all night")
    text = "The beacon at the pier is a lamp that nobody fills or looks after."
    edit_chunk(olivia.actor, chunk_id=chunk.pk, version=chunk.version, text=text)
    assert names() == {"ropes", "store"}
    enrich(chunk.document)
    assert names() == {"ropes", "store", "beacon", "lamp"}


def test_a_passage_that_is_switched_off_tells_nothing(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([LAMPS, ROPES])
    enrich(read(add(olivia, graph_base)))
    Document.objects.update(summary_is_edited=True)  # an edit asks for no new one
    chunk = Chunk.objects.get(text__contains="burns all night")
    set_enabled(olivia.actor, chunk_id=chunk.pk, is_enabled=False)
    assert {node.name for node in overview(olivia.actor, graph_base).nodes} == {"Ropes", "store"}
    set_enabled(olivia.actor, chunk_id=chunk.pk, is_enabled=True)
    enrich(chunk.document)
    assert len(overview(olivia.actor, graph_base).nodes) == 5


def test_a_failed_passage_is_listed_with_its_reason_and_tried_again(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([say("No."), say("Still no."), ROPES])
    document = enrich(read(add(olivia, graph_base)))
    assert document.enrichment == EnrichmentState.PARTLY
    assert "From 1 passages" in stage_of(document).error
    [failed] = failed_passages(olivia.actor, graph_base)
    assert "burns all night" in failed.chunk.text
    assert "another form" in failed.error
    script([LAMPS])
    build_graph(olivia.actor, base_id=graph_base.pk)
    work("default")
    document = enrich(document)
    assert document.enrichment == EnrichmentState.DONE
    assert not failed_passages(olivia.actor, graph_base).exists()


def test_a_refusal_of_the_service_costs_the_passage_and_a_wrong_key_stops_the_document(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([[ModelError("content_filter", "Blocked by the service.")], ROPES])
    enrich(read(add(olivia, graph_base)))
    assert GraphPassage.objects.get(error__contains="Blocked").document.name == "store.md"
    assert "ropes" in names()
    script([[ModelError("auth", "The key is wrong.")]])
    other = enrich(
        read(add(olivia, graph_base, b"A longer text about the harbour office.", "b.md"))
    )
    assert "The key is wrong." in stage_of(other).error


def test_a_job_goes_on_where_the_last_one_ended(
    olivia: Persona, graph_base: KnowledgeBase, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enrichment, "PASSAGES_A_JOB", 1)
    script([LAMPS, ROPES])
    document = enrich(read(add(olivia, graph_base)))
    stage = stage_of(document)
    assert (stage.state, stage.done, stage.total, stage.detail["calls"]) == ("done", 2, 2, 2)


def test_a_graph_is_built_for_documents_that_were_there_before(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    base.options["enrichment"] = {"summary": False}
    base.save()
    script([LAMPS, ROPES])
    document = enrich(read(add(olivia, base)))
    with pytest.raises(Conflict, match="switched off"):
        build_graph(olivia.actor, base_id=base.pk)
    switch_on(base)
    assert unread_passages(base) == 2
    build_graph(olivia.actor, base_id=base.pk)
    work("default")
    document.refresh_from_db()
    assert document.enrichment == EnrichmentState.RUNNING
    enrich(document)
    assert len(names()) == 5


def test_stopping_and_clearing(
    olivia: Persona, graph_base: KnowledgeBase, script: Script, victor: Persona
) -> None:
    script([LAMPS, ROPES])
    document = enrich(read(add(olivia, graph_base)))
    for refused in (build_graph, stop_graph, clear_graph):
        with pytest.raises(AccessDenied):
            refused(victor.actor, base_id=graph_base.pk)
    clear_graph(olivia.actor, base_id=graph_base.pk)
    assert not GraphEntity.objects.exists()
    assert not GraphRelation.objects.exists()
    assert not GraphPassage.objects.exists()
    build_graph(olivia.actor, base_id=graph_base.pk)
    work("default")
    stop_graph(olivia.actor, base_id=graph_base.pk)
    document = enrich(document)
    assert stage_of(document).error == "Stopped by a person."
    assert document.enrichment == EnrichmentState.PARTLY
    assert names() == set()


def test_a_document_that_moves_takes_its_part_of_the_graph_along(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([LAMPS, ROPES, LAMPS, ROPES])
    document = enrich(read(add(olivia, graph_base)))
    target = switch_on(
        make_base(
            olivia.space,
            name="Other",
            created_by=olivia.user,
            options={"enrichment": {"summary": False}},
        )
    )
    chosen = Selection(base_id=graph_base.pk, document_ids=(document.pk,))
    moved = move_to_base(olivia.actor, chosen, target_id=target.pk)
    assert moved.done == (document.pk,)
    assert names() == set()
    enrich(read(document))
    assert set(GraphEntity.objects.values_list("base", flat=True)) == {target.pk}
    assert len(overview(olivia.actor, target).nodes) == 5


def test_entities_go_with_their_last_document(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([LAMPS, ROPES, answer(names=("lamp",))])
    first = enrich(read(add(olivia, graph_base)))
    second = add(olivia, graph_base, b"A lamp is a thing that gives light in the night.", "b.md")
    enrich(read(second))
    Document.objects.filter(pk=first.pk).delete()
    assert names() == {"lamp"}
    assert GraphRelation.objects.count() == 0
    assert GraphMention.objects.count() == 1


def test_a_preview_keeps_nothing(
    olivia: Persona, graph_base: KnowledgeBase, script: Script
) -> None:
    script([answer(("Ada", "keeps", "lamp"))])
    found = preview_graph(olivia.actor, base_id=graph_base.pk, text="Ada keeps the lamp.")
    assert [each.name for each in found.entities] == ["Ada", "lamp"]
    assert names() == set()
    with pytest.raises(Invalid, match="5,000"):
        preview_graph(olivia.actor, base_id=graph_base.pk, text="x" * 5_001)
    with pytest.raises(Invalid, match="no text"):
        preview_graph(olivia.actor, base_id=graph_base.pk, text=" \x00 ")
