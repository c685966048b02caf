"""The tool that looks around in the graphs of knowledge bases. It calls one service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated
from uuid import UUID
from xml.sax.saxutils import escape

from pydantic import Field

from agents.engine.capabilities import Requirement
from agents.engine.signatures import BaseId
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.tools.deps import RunDeps
from agents.tools.knowledge import chosen_bases, passage_of_chunk, search_result
from agents.tools.passages import card_of, write_passages
from agents.tools.searching import PASSAGES_PER_SEARCH, find_passages, passages_of, scope_of
from core.aio import in_db
from knowledge.graph.exploring import Statement, Surroundings, explore
from knowledge.models import Chunk
from knowledge.retrieval.hits import RetrievalHit

_BETWEEN = " / "
"""Between the entities of one question; no name goes across it."""
_NOT_THERE = (
    "Note: the knowledge graph has nothing about this. What follows is from a search of the same"
    " bases by meaning and by words."
)
_MOST_SEARCHES = 3


def _title(arguments: Arguments) -> str:
    return "Looking around " + ", ".join(f"“{name}”" for name in arguments["entities"][:3])


@tool(requires=Requirement(any_of=frozenset({"graph"})), title=_title)
async def query_knowledge_graph(
    ctx: ToolContext[RunDeps],
    entities: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(min_length=1, max_length=10, description="Names of people, things or terms."),
    ],
    hops: Annotated[
        int,
        Field(ge=0, le=2, description="How many relations to go along: 0, 1 or 2."),
    ] = 1,
    base_ids: Annotated[
        list[BaseId] | None,
        Field(max_length=20, description="Only these bases (b1, b2, …); leave out for all."),
    ] = None,
) -> ToolResult:
    """Tell how people and things are related, with the passages that say so.

    Use it for connections between named things: who works with whom, what belongs to what. Write
    names as documents do, not questions. Cite passages by their ids, like [c3].
    Example: {"entities": ["Harbour Trust", "Pier 7"], "hops": 1}
    """
    wanted = chosen_bases(ctx.deps, base_ids)
    found = await in_db(
        explore,
        ctx.deps.actor,
        question=_BETWEEN.join(entities),
        scope=scope_of(ctx.deps, wanted),
        hops=hops,
        limit=ctx.deps.config.rerank_top_k or PASSAGES_PER_SEARCH,
    )
    if not found.hits:
        return await _search_instead(ctx, entities, wanted)
    rows = [found.chunks[hit.chunk_id] for hit in found.hits]
    passages = [passage_of_chunk(chunk, chunk.document) for chunk in rows]
    written = write_passages(passages, ctx.aliases)
    return ToolResult(
        output=f"{_written(ctx, found)}\n\n{written}",
        summary=f"{len(found.statements)} relations, {len(passages)} passages",
        data={"hits": card_of(passages)},
    )


GRAPH_TOOLS: tuple[Tool[RunDeps], ...] = (query_knowledge_graph,)


async def _search_instead(
    ctx: ToolContext[RunDeps], entities: Sequence[str], base_ids: tuple[UUID, ...]
) -> ToolResult:
    """Search as `knowledge_search` does, and say so."""
    hits: dict[UUID, RetrievalHit] = {}
    confident: list[bool | None] = []
    warnings: list[str] = []
    for name in entities[:_MOST_SEARCHES]:
        ctx.cancel.check()
        retrieval = await in_db(find_passages, ctx.deps, query=name, base_ids=base_ids)
        confident.append(retrieval.confident)
        warnings += [each for each in retrieval.warnings if each not in warnings]
        for hit in passages_of(retrieval, ctx.deps.config):
            hits.setdefault(hit.chunk_id, hit)
    result = search_result(ctx, list(hits.values()), confident=confident, warnings=warnings)
    return replace(result, output=f"{_NOT_THERE}\n\n{result.output}")


def _written(ctx: ToolContext[RunDeps], found: Surroundings) -> str:
    """Return what the graph says, each statement with the ids of the passages that say it."""
    lines = [f"Found: {escape(', '.join(found.named))}"] if found.named else []
    lines += [
        f"{escape(each.source)} – {escape(each.kind)} – {escape(each.target)} "
        + "".join(f"[{alias}]" for alias in _aliases(ctx, found.chunks, each))
        for each in found.statements
    ]
    if not found.statements:
        lines.append("No relations are known here.")
    return "<graph>\n" + "\n".join(lines) + "\n</graph>"


def _aliases(
    ctx: ToolContext[RunDeps], chunks: dict[UUID, Chunk], statement: Statement
) -> list[str]:
    rows = [chunks[chunk_id] for chunk_id in statement.chunk_ids]
    return [
        ctx.aliases.chunk(
            row.pk,
            document_id=row.document_id,
            base_id=row.base_id,
            title=row.document.name,
            page=row.page_from,
        )
        for row in rows
    ]
