"""Reads of wikis."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from core.errors import Invalid
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase
from tests.factories.knowledge import make_document
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.graph import ego_graph, overview_graph
from wiki.models import WikiPage
from wiki.pages.sources import store_sources
from wiki.queries import (
    back_links,
    index_of,
    out_links,
    search_pages,
    stats_of,
    tree_of,
)
from wiki.services.folders import create_folder
from wiki.text.sentences import sentence_hash


def titles(pages: object) -> list[str]:
    return [page.title for page in pages]  # type: ignore[attr-defined]  # pages


def test_the_tree_has_all_folders_and_pages_in_a_fixed_number_of_queries(
    olivia: Persona, wiki: KnowledgeBase, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    outer = create_folder(olivia.actor, base_id=wiki.pk, name="Sea")
    inner = create_folder(olivia.actor, base_id=wiki.pk, name="Deep", parent_id=outer.pk)
    make_page(wiki, title="Top")
    make_page(wiki, title="Down", folder=inner)
    make_page(wiki, title="Old", folder=inner, status="archived")
    with django_assert_max_num_queries(4):
        tree = tree_of(olivia.actor, wiki.pk)
    assert titles(tree.pages) == ["Top"]
    assert titles(tree.branches[0].branches[0].pages) == ["Down"]
    assert tree.total == 2


def test_the_index_goes_on_where_it_ended(olivia: Persona, wiki: KnowledgeBase) -> None:
    for title in ("b", "a", "c"):
        make_page(wiki, title=title)
    make_page(wiki, title="Pier", kind="entity")
    entities, concepts = index_of(olivia.actor, wiki.pk, limit=2)
    assert (titles(entities.pages), entities.cursor) == (["Pier"], "")
    assert (titles(concepts.pages), concepts.total) == (["a", "b"], 3)
    (rest,) = index_of(olivia.actor, wiki.pk, limit=2, cursor=concepts.cursor)
    assert (titles(rest.pages), rest.cursor) == (["c"], "")
    with pytest.raises(Invalid):
        index_of(olivia.actor, wiki.pk, cursor="x")


def test_a_search_finds_titles_first_then_names_and_texts(
    olivia: Persona, wiki: KnowledgeBase
) -> None:
    make_page(wiki, title="Text", content="about the tide at night")
    make_page(wiki, title="Name", aliases=["High tide"])
    make_page(wiki, title="Tide")
    make_page(wiki, title="Tide draft", status="draft")
    assert titles(search_pages(olivia.actor, wiki.pk, "tide")) == ["Tide", "Name", "Text"]
    assert titles(search_pages(olivia.actor, wiki.pk, "night tide")) == ["Text"]
    assert search_pages(olivia.actor, wiki.pk, "100%") == []


def test_links_are_read_in_both_directions(olivia: Persona, wiki: KnowledgeBase) -> None:
    target = make_page(wiki, slug="concept/t", title="T")
    source = make_page(wiki, title="S", content="[[concept/t]] [[concept/none]]")
    assert titles(back_links(olivia.actor, target)) == ["S"]
    found = out_links(olivia.actor, source)
    assert [(each.slug, each.page) for each in found] == [
        ("concept/none", None),
        ("concept/t", target),
    ]
    stats = stats_of(olivia.actor, wiki.pk)
    assert (stats.total_pages, stats.total_links, stats.orphan_count) == (2, 2, 1)


@pytest.fixture
def chain(wiki: KnowledgeBase) -> list[WikiPage]:
    """Pages a to e, each linked with the next; b also with d."""
    texts = {"a": "b", "b": "c d", "c": "d", "d": "e", "e": ""}
    return [
        make_page(
            wiki,
            slug=f"concept/{name}",
            title=name,
            content=" ".join(f"[[concept/{each}]]" for each in after.split()),
        )
        for name, after in texts.items()
    ]


def test_an_overview_has_the_most_linked_pages(
    olivia: Persona, wiki: KnowledgeBase, chain: list[WikiPage]
) -> None:
    graph = overview_graph(olivia.actor, wiki.pk, limit=2)
    assert titles(graph.nodes) == ["b", "d"]
    assert (graph.total, graph.returned, graph.is_truncated) == (5, 2, True)
    assert graph.edges == ((chain[1].pk, chain[3].pk),)
    assert [node.links for node in graph.nodes] == [3, 3]


def test_around_a_page_are_those_within_the_depth(olivia: Persona, chain: list[WikiPage]) -> None:
    assert set(titles(ego_graph(olivia.actor, chain[0], depth=1).nodes)) == {"a", "b"}
    assert set(titles(ego_graph(olivia.actor, chain[0], depth=2).nodes)) == {*"abcd"}
    none = ego_graph(olivia.actor, chain[0], depth=3, kinds=["entity"])
    assert titles(none.nodes) == ["a"]


def test_a_page_of_closed_sources_is_in_no_list(
    olivia: Persona, victor: Persona, wiki: KnowledgeBase
) -> None:
    document = make_document(wiki, texts=["The vault is in pier 4."], is_draft=True)
    page = make_page(wiki, title="Vault", content="The vault is in pier 4.")
    chunk = Chunk.objects.get(document=document)
    store_sources(page, {sentence_hash(page.content): [chunk.pk]})
    assert document.state == DocumentState.COMPLETED
    assert Document.objects.filter(pk=document.pk).exists()
    for person, seen in ((olivia, ["Vault"]), (victor, [])):
        assert titles(tree_of(person.actor, wiki.pk).pages) == seen
        assert titles(search_pages(person.actor, wiki.pk, "vault")) == seen
        assert titles(overview_graph(person.actor, wiki.pk).nodes) == seen
