"""Tools that read knowledge bases. Each calls one service; access is the service's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from accounts.guests import reading
from agents.engine.capabilities import Requirement
from agents.engine.errors import ToolFailed
from agents.engine.signatures import BaseId, ChunkId, DocumentId
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.tools.deps import RunDeps
from agents.tools.passages import Passage, card_of, write_passages
from agents.tools.searching import Only, find_passages, may_read, passages_of, scope_of
from core.aio import in_db
from core.errors import Invalid, NotFound, ProjectError
from knowledge.constants import DocumentSource
from knowledge.models import Chunk, Document
from knowledge.queries import get_chunk, get_document, list_chunks
from knowledge.retrieval.filter_values import Filter
from knowledge.retrieval.filters import document_condition
from knowledge.retrieval.hits import RetrievalHit
from knowledge.sharing.reading import read_documents
from knowledge.sharing.search import grep_shared
from knowledge.text.pictures import without_references

SEARCHES = Requirement(any_of=frozenset({"vector", "keyword"}), consumes_files=True)
_FOUND_ELSEWHERE = "Note: these passages are in another language than the question."
_UNSURE = "Note: no passage answers the question for certain; say so unless one clearly does."
_NOTHING = "Nothing was found. Try other words, or grep_chunks for an exact term."


def _search_title(arguments: Arguments) -> str:
    return "Searching for " + ", ".join(f"“{query}”" for query in arguments["queries"][:3])


@tool(requires=SEARCHES, title=_search_title, also_known_as=("RAG_SEARCH",))
async def knowledge_search(
    ctx: ToolContext[RunDeps],
    queries: Annotated[
        list[str],
        Field(min_length=1, max_length=5, description="One to five questions or search phrases."),
    ],
    base_ids: Annotated[
        list[BaseId] | None,
        Field(max_length=20, description="Only these bases (b1, b2, …); leave out for all."),
    ] = None,
    only: Annotated[
        Only | None,
        Field(description="Only documents like this; leave out unless the question asks for it."),
    ] = None,
) -> ToolResult:
    """Search the knowledge bases by meaning and by words; returns passages with ids to cite.

    Ask whole questions in the language of the documents, each about one thing; several queries
    are searched at once. Cite what you use by its id, like [c3].
    Example: {"queries": ["notice period for consultants", "who approves replacing key personnel"]}
    """
    wanted = chosen_bases(ctx.deps, base_ids)
    narrowed = _filter(only)
    found: dict[UUID, RetrievalHit] = {}
    warnings: list[str] = []
    confident: list[bool | None] = []
    for query in queries:
        ctx.cancel.check()
        retrieval = await in_db(
            find_passages, ctx.deps, query=query, base_ids=wanted, wanted=narrowed
        )
        confident.append(retrieval.confident)
        warnings += [each for each in retrieval.warnings if each not in warnings]
        for hit in passages_of(retrieval, ctx.deps.config):
            found.setdefault(hit.chunk_id, hit)
    return search_result(ctx, list(found.values()), confident=confident, warnings=warnings)


def search_result(
    ctx: ToolContext[RunDeps],
    hits: Sequence[RetrievalHit],
    *,
    confident: Sequence[bool | None],
    warnings: Sequence[str],
) -> ToolResult:
    """Write what a search found for the model, for people and for the card."""
    passages = [passage_of_hit(hit) for hit in hits]
    if not passages:
        return ToolResult(output=_NOTHING, summary="Nothing found", data={"hits": []})
    notes = retrieval_notes(confident)
    documents = len({passage.document_id for passage in passages})
    return ToolResult(
        output="\n\n".join([*notes, write_passages(passages, ctx.aliases)]),
        summary=f"{len(passages)} passages from {documents} documents",
        data={"hits": card_of(passages), "warnings": list(warnings)},
    )


def retrieval_notes(confident: Sequence[bool | None]) -> list[str]:
    """Return what the model must know about how sure the searches are."""
    if all(each is False for each in confident):
        return [_UNSURE]
    if all(each is None for each in confident):
        return [_FOUND_ELSEWHERE]
    return []


@tool(
    requires=Requirement(any_of=frozenset({"keyword"}), consumes_files=True),
    title=lambda arguments: f"Looking for “{arguments['pattern']}”",
)
async def grep_chunks(
    ctx: ToolContext[RunDeps],
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            max_length=500,
            description="POSIX regular expression; upper and lower case are the same.",
        ),
    ],
    limit: Annotated[int, Field(ge=1, le=50, description="Most passages to return.")] = 20,
) -> ToolResult:
    """Find passages in which an exact term, number or code occurs.

    Use it for names, identifiers and figures that a search by meaning may miss.
    Example: {"pattern": "RO-2022110[0-9]|grand total"}
    """
    hits = await _ask(
        in_db(grep_shared, ctx.deps.actor, pattern=pattern, scope=scope_of(ctx.deps), limit=limit)
    )
    passages = [passage_of_chunk(chunk, chunk.document) for chunk in hits]
    if not passages:
        return ToolResult(
            output=f"No passage matches {pattern!r}.", summary="No match", data={"hits": []}
        )
    return ToolResult(
        output=write_passages(passages, ctx.aliases),
        summary=f"{len(passages)} passages match",
        data={"hits": card_of(passages)},
    )


@tool(requires=SEARCHES, title="Reading a document")
async def list_knowledge_chunks(
    ctx: ToolContext[RunDeps],
    document_id: Annotated[
        DocumentId | None, Field(description="The document to read (d1, d2, …).")
    ] = None,
    chunk_id: Annotated[
        ChunkId | None,
        Field(description="Or a passage (c1, c2, …): reads its document from there."),
    ] = None,
    offset: Annotated[int, Field(ge=0, description="First passage, from 0.")] = 0,
    limit: Annotated[int, Field(ge=1, le=100, description="How many passages.")] = 20,
) -> ToolResult:
    """Read a document passage by passage, in its order.

    Use it when a passage that was found needs what stands before or behind it.
    Example: {"document_id": "d1", "offset": 20}
    """
    document, chunks, start = await _ask(
        in_db(_read_on, ctx.deps, document_id, chunk_id, offset, limit)
    )
    passages = [passage_of_chunk(chunk, document) for chunk in chunks]
    end = start + len(passages)
    rest = f"Passages {start} to {end} of {document.chunk_count}."
    return ToolResult(
        output=f"{rest}\n\n{write_passages(passages, ctx.aliases)}",
        summary=f"{document.name}: passages {start + 1}–{end} of {document.chunk_count}",
        data={"hits": card_of(passages)},
    )


@tool(requires=SEARCHES, title="Looking at documents")
async def get_document_info(
    ctx: ToolContext[RunDeps],
    document_ids: Annotated[
        list[DocumentId],
        Field(min_length=1, max_length=20, description="Documents (d1, d2, …)."),
    ],
) -> ToolResult:
    """Tell name, type, size, pages, state and age of documents.

    Example: {"document_ids": ["d1", "d2"]}
    """
    ids = [_uuid(each, "document") for each in document_ids]
    documents = [
        document
        for document in await in_db(read_documents, ctx.deps.actor, ids)
        if may_read(ctx.deps, document)
    ]
    if not documents:
        raise ToolFailed("None of these documents can be read here.", code="not_found")
    lines = [_describe(document, ctx) for document in documents]
    return ToolResult(
        output="\n".join(lines),
        summary=f"{len(documents)} documents",
        data={"documents": [_info(document) for document in documents]},
    )


KNOWLEDGE_TOOLS: tuple[Tool[RunDeps], ...] = (
    knowledge_search,
    grep_chunks,
    list_knowledge_chunks,
    get_document_info,
)


def passage_of_hit(hit: RetrievalHit) -> Passage:
    """Return a hit of a search as a passage."""
    return Passage(
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        base_id=hit.base_id,
        document_name=hit.document_name,
        text=hit.text,
        heading_path=hit.heading_path,
        page_from=hit.page_from,
        page_to=hit.page_to,
        score=hit.score,
        is_wiki=hit.is_wiki,
    )


def passage_of_chunk(chunk: Chunk, document: Document) -> Passage:
    """Return a chunk as a passage."""
    return Passage(
        chunk_id=chunk.pk,
        document_id=document.pk,
        base_id=chunk.base_id,
        document_name=document.name,
        text=without_references(chunk.text),
        heading_path=tuple(chunk.heading_path),
        page_from=chunk.page_from,
        page_to=chunk.page_to,
        is_wiki=document.source == DocumentSource.WIKI,
    )


def chosen_bases(deps: RunDeps, base_ids: Sequence[str] | None) -> tuple[UUID, ...]:
    """Return the bases to search: never one that is not the run's.

    Raises:
        ToolFailed: bases were named, and none of them is the run's.
    """
    if not base_ids:
        return deps.base_ids
    wanted = {_uuid(each, "base") for each in base_ids}
    allowed = tuple(each for each in deps.base_ids if each in wanted)
    if not allowed:
        raise ToolFailed("None of these bases can be searched here.", code="not_found")
    return allowed


def _filter(only: Only | None) -> Filter | None:
    """Return which documents to search; None for all."""
    if only is None:
        return None
    try:
        wanted = only.to_filter()
        if wanted is not None:
            document_condition(wanted)  # the search itself would find nothing, without a word
    except Invalid as refusal:
        raise ToolFailed(refusal.message, code="bad_arguments") from refusal
    return wanted


def _read_on(
    deps: RunDeps, document_id: str | None, chunk_id: str | None, offset: int, limit: int
) -> tuple[Document, list[Chunk], int]:
    if chunk_id is not None:
        argument, key = "chunk_id", _uuid(chunk_id, "passage")
    elif document_id is not None:
        argument, key = "document_id", _uuid(document_id, "document")
    else:
        raise ToolFailed("Name a document_id or a chunk_id.", code="invalid_arguments")
    with reading(deps.actor, argument=argument, value=key) as reader:
        start = offset
        if argument == "chunk_id":
            chunk = get_chunk(reader, key)
            key, start = chunk.document_id, chunk.position + offset
        document = get_document(reader, key)
        if not may_read(deps, document):
            raise NotFound("There is no such document.")
        return document, list(list_chunks(reader, key)[start : start + limit]), start


async def _ask(awaitable: Any) -> Any:
    """Await a service; what it refuses, the model reads."""
    try:
        return await awaitable
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal


def _uuid(value: str, kind: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise ToolFailed(f"There is no {kind} {value!r}.", code="not_found") from error


def _info(document: Document) -> dict[str, Any]:
    return {
        "document_id": str(document.pk),
        "name": document.name,
        "type": document.file_type,
        "size_bytes": document.size_bytes,
        "pages": document.page_count,
        "passages": document.chunk_count,
        "state": document.state,
        "added": document.created_at.date().isoformat(),
    }


def _describe(document: Document, ctx: ToolContext[RunDeps]) -> str:
    alias = ctx.aliases.document(document.pk, base_id=document.base_id, title=document.name)
    info = _info(document)
    facts = ", ".join(
        f"{name} {value}" for name, value in info.items() if name != "document_id" and value
    )
    return f"{alias}: {facts}"
