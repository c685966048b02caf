"""Tools that read a wiki: look for pages, read them, read on in what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from pydantic import Field

from accounts.access import Actor
from accounts.guests import reading
from agents.engine.errors import ToolFailed
from agents.engine.signatures import BaseId, DocumentId
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.tools.deps import RunDeps
from agents.tools.knowledge import passage_of_chunk
from agents.tools.passages import card_of, write_passages
from agents.tools.searching import may_read
from agents.tools.wiki_pages import (
    WIKI,
    PageView,
    ask_wiki,
    card_entry,
    for_readers,
    view_of,
    wiki_bases,
    write_page,
)
from agents.tracing.closed import as_sources
from core.errors import NotFound
from knowledge.constants import DocumentSource
from knowledge.models import Chunk, Document
from knowledge.queries import get_document, list_chunks
from knowledge.retrieval.grep import grep
from knowledge.retrieval.scope import Scope
from wiki.lookup import Readable, grep_pages, pages_at, readable, with_text
from wiki.queries import index_of

INDEX = "index"
INDEX_PAGES = 20
"""Of each type, in the overview."""
SOURCE_PASSAGES = 20
"""Of a source document, when nothing is said."""


def _search_title(arguments: Arguments) -> str:
    return "Searching the wiki for " + ", ".join(f"“{each}”" for each in arguments["queries"][:3])


@tool(requires=WIKI, title=_search_title)
async def wiki_search(
    ctx: ToolContext[RunDeps],
    queries: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=500)]],
        Field(
            min_length=1,
            max_length=5,
            description="POSIX regular expressions; upper and lower case are the same.",
        ),
    ],
    limit: Annotated[int, Field(ge=1, le=50, description="Most pages to return.")] = 10,
    knowledge_base_id: Annotated[
        BaseId | None, Field(description="Only this base (b1, b2, …); leave out for all.")
    ] = None,
) -> ToolResult:
    """Find wiki pages whose title, address, other names, summary or text match a pattern.

    Returns addresses with summaries; read a page before you answer from it. Write names and terms
    as pages would, with | between alternatives.
    Example: {"queries": ["trim wheel|elevator trim", "landing gear"], "limit": 5}
    """
    bases = wiki_bases(ctx.deps, knowledge_base_id)
    found: dict[UUID, Readable] = {}
    for query in queries:
        ctx.cancel.check()
        for each in await ask_wiki(_grep, ctx.deps.actor, bases, query, limit):
            found.setdefault(each.page.pk, each)
    if not found:
        return ToolResult(
            output="No page matches. Try other words, or read the page 'index' for an overview.",
            summary="No page found",
        )
    pages = list(found.values())[:limit]
    lines = [_found_line(each, ctx) for each in pages]
    return ToolResult(
        output="\n".join(lines),
        summary=f"{len(pages)} pages",
        data={
            "sources": as_sources(each.page.document_id for each in pages if each.page.document_id)
        },
    )


def _grep(actor: Actor, base_ids: Sequence[UUID], pattern: str, limit: int) -> list[Readable]:
    return for_readers(
        actor, base_ids, lambda reader, ids: grep_pages(reader, ids, pattern=pattern, limit=limit)
    )


def _found_line(each: Readable, ctx: ToolContext[RunDeps]) -> str:
    page = each.page
    base = ctx.aliases.base(page.base_id, title=page.base.name)
    names = f" (also {', '.join(page.aliases)})" if page.aliases else ""
    return f"- {base} {page.slug}: {page.title}{names}. {each.summary}".rstrip()


@tool(requires=WIKI, title=lambda arguments: "Reading " + ", ".join(arguments["slugs"][:3]))
async def wiki_read_page(
    ctx: ToolContext[RunDeps],
    slugs: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(
            min_length=1,
            max_length=10,
            description="Addresses of pages as a search gives them; 'index' is the overview.",
        ),
    ],
    knowledge_base_id: Annotated[
        BaseId | None, Field(description="Only this base (b1, b2, …); leave out for all.")
    ] = None,
) -> ToolResult:
    """Read wiki pages whole, with what they link to, what links to them and what they rest on.

    Cite a page, or the passages it rests on, by the ids that are told, like [c3].
    Example: {"slugs": ["concept/trim-wheel", "index"]}
    """
    bases = wiki_bases(ctx.deps, knowledge_base_id)
    wanted = list(dict.fromkeys(slug.strip().strip("/") for slug in slugs))
    parts: list[str] = []
    views: list[PageView] = []
    told: set[str] = set()
    for slug in wanted:
        ctx.cancel.check()
        if slug.lower() == INDEX:
            parts.append(await ask_wiki(_overview, ctx, bases))
            continue
        found = await ask_wiki(_views, ctx.deps.actor, bases, slug)
        if not found:
            parts.append(f"There is no page at {slug!r}.")
        views += found
        parts += [write_page(view, ctx.aliases, ctx.deps.config, told) for view in found]
    if not views and INDEX not in (slug.lower() for slug in wanted):
        raise ToolFailed(
            "\n".join([*parts, "Search the wiki, or read the page 'index'."]), code="not_found"
        )
    entries = [entry for view in views if (entry := card_entry(view)) is not None]
    documents = {document for view in views for document in view.documents}
    return ToolResult(
        output="\n\n".join(parts),
        summary=", ".join(view.read.page.title for view in views) or "Overview",
        data={
            **({"hits": entries} if len(entries) == len(views) and entries else {}),
            "wiki_pages": [
                {"page_id": str(view.read.page.pk), "version": view.read.page.version}
                for view in views
            ],
            "sources": as_sources(UUID(each) for each in documents),
        },
    )


def _views(actor: Actor, base_ids: Sequence[UUID], slug: str) -> list[PageView]:
    return for_readers(
        actor,
        base_ids,
        lambda reader, ids: [
            view_of(reader, read) for read in readable(reader, pages_at(reader, ids, slug))
        ],
    )


def _overview(ctx: ToolContext[RunDeps], base_ids: Sequence[UUID]) -> str:
    lines = for_readers(
        ctx.deps.actor,
        base_ids,
        lambda reader, ids: [
            line for base_id in ids for line in _index_lines(ctx, reader, base_id)
        ],
    )
    return "\n".join(lines) or "The wiki has no pages yet."


def _index_lines(ctx: ToolContext[RunDeps], reader: Actor, base_id: UUID) -> list[str]:
    alias = ctx.aliases.base(base_id)
    lines: list[str] = []
    for group in index_of(reader, base_id, limit=INDEX_PAGES):
        rows = readable(reader, with_text(group.pages))
        lines.append(f"{alias} {group.kind}: {group.total} pages")
        lines += [f"- {each.page.slug}: {each.page.title}. {each.summary}" for each in rows]
        if group.total > len(group.pages):
            lines.append(f"- … and {group.total - len(group.pages)} more; search for them.")
    return lines


@tool(requires=WIKI, title="Reading a source of the wiki")
async def wiki_read_source_doc(
    ctx: ToolContext[RunDeps],
    knowledge_id: Annotated[
        DocumentId, Field(description="The document (d1, d2, …) that a page rests on.")
    ],
    query: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=500,
            description="Only passages that match this POSIX regular expression.",
        ),
    ] = None,
    start_chunk_index: Annotated[
        int | None, Field(ge=0, description="First passage to read, from 0.")
    ] = None,
    end_chunk_index: Annotated[int | None, Field(ge=0, description="Last passage to read.")] = None,
) -> ToolResult:
    """Read the document behind a wiki page: passages that match, or a stretch of it in its order.

    Without query and indexes its beginning is read.
    Example: {"knowledge_id": "d2", "query": "warranty|guarantee"}
    """
    document, chunks, total = await ask_wiki(
        _source, ctx.deps, knowledge_id, query, start_chunk_index, end_chunk_index
    )
    passages = [passage_of_chunk(chunk, document) for chunk in chunks]
    if not passages:
        what = f"No passage of it matches {query!r}." if query else "There are no such passages."
        return ToolResult(output=f"{what} It has {total} passages.", summary=document.name)
    numbers = [chunk.position for chunk in chunks]
    where = (
        f"Passages {', '.join(map(str, numbers))}"
        if query
        else (f"Passages {numbers[0]} to {numbers[-1]}")
    )
    return ToolResult(
        output=f"{where} of {total}.\n\n{write_passages(passages, ctx.aliases)}",
        summary=f"{document.name}: {len(passages)} passages",
        data={"hits": card_of(passages)},
    )


def _source(
    deps: RunDeps, document_id: str, query: str | None, start: int | None, end: int | None
) -> tuple[Document, list[Chunk], int]:
    try:
        key = UUID(document_id)
    except ValueError as error:
        raise ToolFailed(f"There is no document {document_id!r}.", code="not_found") from error
    with reading(deps.actor, argument="document_id", value=key) as reader:
        document = get_document(reader, key)
        if not may_read(deps, document) or document.source == DocumentSource.WIKI:
            raise NotFound("There is no such document.")
        rows = list_chunks(reader, key)
        total = rows.count()
        first = start or 0
        last = end + 1 if end is not None else first + SOURCE_PASSAGES
        if query is None:
            return document, list(rows[first : max(first, min(last, first + 100))]), total
        scope = Scope(base_ids=(document.base_id,), document_ids=(key,))
        found = grep(reader, pattern=query, scope=scope, limit=50)
        inside = [
            chunk
            for chunk in found
            if chunk.position >= first and (end is None or chunk.position <= end)
        ]
        return document, inside, total


WIKI_READ_TOOLS: tuple[Tool[RunDeps], ...] = (wiki_search, wiki_read_page, wiki_read_source_doc)
