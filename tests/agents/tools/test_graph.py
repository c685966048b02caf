"""The tool that looks around in graphs: relations with passages to cite, else a normal search."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.bindings import capabilities_of
from agents.engine.testing import ScriptedModel, call, calls, say
from agents.models import AgentRun, RunEvent
from agents.tools.graph import query_knowledge_graph
from core.tenancy import space_scope
from knowledge.ingest.index import index_chunks
from knowledge.models import Chunk, KnowledgeBase
from tests.agents.runs.conftest import Script, carry_out, put
from tests.factories.graphs import make_graph, switch_on
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]


@pytest.fixture
def leases(a_base: KnowledgeBase) -> KnowledgeBase:
    """Its only passage tells who lets what."""
    with space_scope(a_base.space_id):
        chunk = Chunk.objects.select_related("document").get(document__base=a_base)
        index_chunks(chunk.document)
        make_graph(chunk, triples=[("Ada & Co", "lets", "Pier 7")])
    return switch_on(a_base)


def result_of(run: AgentRun) -> RunEvent:
    return RunEvent.objects.get(run=run, type="tool_call_finished")


def ask(asker: Persona, script: Play, *entities: str) -> RunEvent:
    script([calls(call("query_knowledge_graph", entities=list(entities), hops=1)), say("Done.")])
    run = put(asker, "Who lets the pier?")
    carry_out()
    return result_of(run)


def test_relations_come_with_passages_that_can_be_cited(
    asker: Persona, script: Play, leases: KnowledgeBase
) -> None:
    data = ask(asker, script, "Pier 7", "Nobody").data
    assert "Ada &amp; Co – lets – Pier 7 [c1]" in data["output"]
    assert "The rent is 900 euros" in data["output"]
    assert [hit["name"] for hit in data["data"]["hits"]] == ["lease-a.txt"]


def test_what_the_graph_does_not_know_is_searched_for(
    asker: Persona, script: Play, leases: KnowledgeBase
) -> None:
    data = ask(asker, script, "rent euros").data
    assert "the knowledge graph has nothing about this" in data["output"]
    assert "The rent is 900 euros" in data["output"]


def test_only_a_base_with_a_graph_serves_it(asker: Persona, a_base: KnowledgeBase) -> None:
    with space_scope(a_base.space_id):
        assert not query_knowledge_graph.requires.is_met_by(capabilities_of(a_base))
        switch_on(a_base)
        assert query_knowledge_graph.requires.is_met_by(capabilities_of(a_base))
