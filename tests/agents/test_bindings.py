"""Which base serves which tool, and that a call never gets past it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from accounts.access import Actor
from agents.bindings import (
    QUICK_ANSWER,
    capabilities_of,
    is_of_use,
    offered,
    requirements_of,
    serving,
    takes_files,
    wanted_capabilities,
)
from agents.engine.aliases import Aliases
from agents.engine.cancel import CancelToken
from agents.engine.capabilities import Capability, Requirement
from agents.engine.errors import ToolFailed
from agents.engine.signatures import BaseId
from agents.engine.tools import Tool, ToolContext, tool
from agents.tools.deps import RunDeps
from agents.tools.guard import guard_tool
from agents.tools.knowledge import knowledge_search
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

DOCUMENTS, WIKI = uuid4(), uuid4()
BASES: dict[UUID, frozenset[Capability]] = {
    DOCUMENTS: frozenset({"vector", "keyword"}),
    WIKI: frozenset({"wiki"}),
}


@tool(requires=Requirement(all_of=frozenset({"wiki"})))
async def read_pages(ctx: ToolContext[RunDeps], base_ids: list[BaseId] | None = None) -> str:
    """Tell which bases it sees."""
    return " ".join(str(each) for each in ctx.deps.base_ids)


@tool()
async def think(ctx: ToolContext[RunDeps]) -> str:
    """Need no base."""
    return str(len(ctx.deps.base_ids))


def context(bases: dict[UUID, frozenset[Capability]]) -> ToolContext[RunDeps]:
    deps = RunDeps(
        actor=Actor(kind="system", id="test", space_id=1),
        run_id=uuid4(),
        conversation_id=uuid4(),
        agent_id=uuid4(),
        base_ids=tuple(bases),
        capabilities=bases,
    )
    return ToolContext(deps=deps, call_id="1", aliases=Aliases(), cancel=CancelToken())


async def call(
    which: Tool[RunDeps], bases: dict[UUID, frozenset[Capability]], **given: object
) -> str:
    arguments = {"base_ids": None, **given} if which is not think else dict(given)
    return (await guard_tool(which).body(context(bases), arguments)).output


def test_a_base_can_be_searched_by_words_and_with_a_model_by_meaning(olivia: Persona) -> None:
    plain = make_base(olivia.space)
    with olivia.scope():
        model = make_model(olivia.space, type="embedding")
        embedded = make_base(olivia.space, embedding_model=model)
    assert capabilities_of(plain) == {"keyword"}
    assert capabilities_of(embedded) == {"keyword", "vector"}


def test_a_quick_answer_requires_what_a_search_does() -> None:
    assert requirements_of("quick", [read_pages]) == (QUICK_ANSWER,)
    assert is_of_use({"keyword"}, requirements_of("quick", []))
    assert not is_of_use({"wiki"}, requirements_of("quick", []))


def test_tools_decide_which_bases_are_of_use() -> None:
    requirements = requirements_of("react", [read_pages, think])
    assert is_of_use({"wiki", "keyword"}, requirements)
    assert not is_of_use({"keyword"}, requirements)
    assert wanted_capabilities(requirements) == {"wiki"}
    assert not is_of_use({"wiki"}, requirements_of("react", [think]))


def test_bases_decide_which_tools_the_model_sees() -> None:
    tools = [knowledge_search, read_pages, think]
    assert offered(tools, BASES) == tools
    assert offered(tools, {DOCUMENTS: BASES[DOCUMENTS]}) == [knowledge_search, think]
    assert offered(tools, {}) == [think]


def test_capabilities_of_two_bases_do_not_add_up() -> None:
    both = Requirement(all_of=frozenset({"wiki", "keyword"}))
    assert serving(both, BASES) == frozenset()
    assert serving(Requirement(), BASES) is None


def test_files_are_offered_when_a_tool_takes_them() -> None:
    assert takes_files("quick", [])
    assert takes_files("react", [knowledge_search])
    assert not takes_files("react", [read_pages, think])


async def test_a_call_sees_only_bases_that_serve_its_tool() -> None:
    assert await call(read_pages, BASES) == str(WIKI)
    assert await call(read_pages, BASES, base_ids=[str(WIKI)]) == str(WIKI)
    assert await call(think, BASES) == "2"


@pytest.mark.parametrize("asked", [DOCUMENTS, uuid4()], ids=["without a wiki", "of another run"])
async def test_a_call_with_another_base_is_refused(asked: UUID) -> None:
    with pytest.raises(ToolFailed, match="not part of this conversation"):
        await call(read_pages, BASES, base_ids=[str(WIKI), str(asked)])


async def test_a_call_without_any_base_that_serves_it_is_refused() -> None:
    with pytest.raises(ToolFailed, match="No base"):
        await call(read_pages, {DOCUMENTS: BASES[DOCUMENTS]})


async def test_what_the_run_may_not_read_is_narrowed_for_the_tool_alone() -> None:
    whole = context(BASES)
    await guard_tool(read_pages).body(whole, {"base_ids": None})
    assert whole.deps == replace(whole.deps, base_ids=tuple(BASES))
