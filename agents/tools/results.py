"""Reading on in a long result of which only head and tail were shown."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from agents.engine.aliases import rewrite_aliases
from agents.engine.errors import ToolFailed
from agents.engine.tools import Tool, ToolContext, ToolResult, tool
from agents.runs.results import ResultPage, read_result, sources_of
from agents.tools.deps import RunDeps
from agents.tools.registry import Offer
from agents.tracing.closed import as_sources
from core.aio import in_db
from core.errors import NotFound

NAME = "read_tool_result"
LONGEST_PAGE = 12_000


@tool(
    title="Reading on in a long result",
    also_known_as=("READ_TOOL_RESULT",),
    argument_names={"toolcallid": "call_id", "id": "call_id", "start": "offset", "length": "limit"},
    output_budget_chars=LONGEST_PAGE + 2000,
)
async def read_tool_result(
    ctx: ToolContext[RunDeps],
    call_id: Annotated[
        str, Field(min_length=1, max_length=120, description="As the shortened result names it.")
    ],
    offset: Annotated[int, Field(ge=0, description="First character to read, from 0.")] = 0,
    limit: Annotated[
        int, Field(ge=1, le=LONGEST_PAGE, description="How many characters at most.")
    ] = 8000,
) -> ToolResult:
    """Read a part of an earlier result that was too long to be shown whole.

    A shortened result says under which call_id it is kept. Go on with the next_offset that each
    part gives. Example: {"call_id": "call_2_1", "offset": 8000}
    """
    try:
        page = await in_db(
            read_result,
            ctx.deps.actor,
            run_id=ctx.deps.run_id,
            conversation_id=ctx.deps.conversation_id,
            call_id=call_id,
            offset=offset,
            limit=limit,
        )
    except NotFound as missing:
        raise ToolFailed(missing.message, code="not_found") from missing
    text = page.text
    if page.aliases_of != ctx.deps.run_id:
        sources = await in_db(sources_of, page.aliases_of)
        text = rewrite_aliases(text, sources, ctx.aliases)
    return ToolResult(
        output=f"{text}\n\n[{_place(page)}]",
        summary=f"Characters {page.start + 1}–{page.end} of {page.total_chars}",
        data={
            "call_id": call_id,
            "next_offset": page.end if page.end < page.total_chars else None,
            "sources": as_sources(page.document_ids),
        },
    )


def _place(page: ResultPage) -> str:
    if not page.text:
        return f"There is nothing behind character {page.total_chars:,}; that is the end."
    where = f"Characters {page.start:,} to {page.end:,} of {page.total_chars:,}."
    if page.end < page.total_chars:
        return f"{where} next_offset={page.end}"
    return f"{where} That is the end."


def is_of_use(offer: Offer) -> bool:
    """Whether anything could leave a long result behind."""
    return bool(offer.names)


RESULT_TOOLS: tuple[Tool[RunDeps], ...] = (read_tool_result,)
