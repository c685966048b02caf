"""The tools of a run: filtered, sorted, first registration wins."""

from __future__ import annotations

import logging

import pytest

from agents.engine.capabilities import Requirement
from agents.engine.testing import FakeTool
from agents.engine.toolsets import Toolset


def test_definitions_are_the_same_bytes_whatever_the_order() -> None:
    fakes = [FakeTool(name).tool() for name in ("read", "search", "ask")]
    first, second = Toolset.of(fakes), Toolset.of(reversed(fakes))
    dumped = [spec.model_dump_json() for spec in first.specs()]
    assert dumped == [spec.model_dump_json() for spec in second.specs()]
    assert first.names == ("ask", "read", "search")


def test_the_first_registration_wins(caplog: pytest.LogCaptureFixture) -> None:
    ours, theirs = FakeTool("search").tool(), FakeTool("search").tool()
    with caplog.at_level(logging.WARNING):
        toolset = Toolset.of([ours]).with_tools([theirs, FakeTool("more").tool()])
    assert toolset.find("search") is ours
    assert toolset.names == ("more", "search")
    assert "registered already" in caplog.text


def test_filtering_never_adds() -> None:
    toolset = Toolset.of([FakeTool("a").tool(), FakeTool("b").tool()])
    assert toolset.filtered({"b", "c"}).names == ("b",)


def test_capabilities_of_the_bases_decide() -> None:
    search = FakeTool("search").tool(requires=Requirement(any_of=frozenset({"vector", "keyword"})))
    wiki = FakeTool("wiki").tool(requires=Requirement(all_of=frozenset({"wiki", "graph"})))
    plan = FakeTool("plan").tool()
    toolset = Toolset.of([search, wiki, plan])
    assert toolset.for_capabilities([]).names == ("plan",)
    assert toolset.for_capabilities(["keyword"]).names == ("plan", "search")
    assert toolset.for_capabilities(["wiki"]).names == ("plan",)
    assert toolset.for_capabilities(["wiki", "graph", "vector"]).names == ("plan", "search", "wiki")


def test_an_exact_name_wins_over_another_tools_other_name() -> None:
    old = FakeTool("new_search").tool(also_known_as=("search",))
    exact = FakeTool("search").tool()
    assert Toolset.of([old, exact]).find("search") is exact
    assert Toolset.of([old]).find("SEARCH") is old
    assert Toolset.of([old]).find("other") is None


def test_suggestions_name_the_nearest_or_all() -> None:
    toolset = Toolset.of([FakeTool("knowledge_search").tool(), FakeTool("read").tool()])
    assert "Did you mean 'knowledge_search'?" in toolset.suggest("knowledge_serch")
    assert toolset.suggest("xyz") == "There is no tool 'xyz'. Tools: knowledge_search, read."
    assert "no other one" in Toolset().suggest("xyz")


def test_every_wrapper_returns_a_new_toolset() -> None:
    toolset = Toolset.of([FakeTool().tool()])
    assert toolset.with_timeout(3).timeout_seconds == 3
    assert toolset.with_budget(100).output_budget_chars == 100
    assert (toolset.timeout_seconds, toolset.output_budget_chars) == (None, None)
