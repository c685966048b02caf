"""What the tools of the wiki share: where a run may look, and how a page is written for a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID
from xml.sax.saxutils import quoteattr

from accounts.access import Actor, visible
from agents.configuration import AgentConfig
from agents.engine.aliases import Aliases
from agents.engine.capabilities import Requirement
from agents.engine.errors import ToolFailed
from agents.engine.limits import RunLimits
from agents.tools.deps import RunDeps
from core.aio import in_db
from core.errors import ProjectError
from core.tenancy import space_scope
from knowledge.constants import ChunkKind
from knowledge.evidence import Evidence
from knowledge.models import Chunk
from knowledge.retrieval.scope import Scope
from knowledge.sharing.parts import parts_of
from wiki.lookup import Readable, open_issues, pages_at
from wiki.models import WikiPage
from wiki.pages.sources import sentences_of
from wiki.queries import back_links, out_links
from wiki.values import VersionConflict

WIKI = Requirement(all_of=frozenset({"wiki"}))
LONG_PAGE = 12_000
"""Characters from which a page is only changed by parts."""
_MOST_LINKS = 40
_MOST_SOURCES = 20
T = TypeVar("T")


def wiki_bases(deps: RunDeps, base_id: str | None = None) -> tuple[UUID, ...]:
    """Return the bases whose wikis the run may look into; one of which documents were named is none.

    Raises:
        ToolFailed: the named base is not the run's.
    """
    bases = deps.whole_base_ids if deps.document_ids else deps.base_ids
    if base_id is None:
        return tuple(bases)
    chosen = tuple(each for each in bases if str(each) == base_id.lower())
    if not chosen:
        raise ToolFailed("This base is not part of this conversation.", code="not_found")
    return chosen


def for_readers(
    actor: Actor, base_ids: Sequence[UUID], read: Callable[[Actor, list[UUID]], list[T]]
) -> list[T]:
    """Return what is read of the bases: as the actor, and as whom they are in spaces that share some.

    `read` takes who reads and the bases; the scope of their space is open meanwhile.
    """
    found: list[T] = []
    for part in parts_of(actor, Scope(base_ids=tuple(base_ids), strict=False)):
        with space_scope(part.reader.space_id):
            found += read(part.reader, list(part.scope.base_ids or ()))
    return found


async def ask_wiki(service: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Call a service; what it refuses, the model reads.

    Raises:
        ToolFailed: it was refused, with its words and what would work.
    """
    try:
        return await in_db(service, *arguments, **named)
    except VersionConflict as conflict:
        raise ToolFailed(
            f"{conflict.message} Read the page again and make the change on what it says now.",
            code="version_conflict",
        ) from conflict
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal


def one_page(deps: RunDeps, slug: str, base_id: str | None) -> WikiPage:
    """Return the page at an address in the person's own space.

    Raises:
        ToolFailed: there is none, or several bases have one.
    """
    found = pages_at(deps.actor, wiki_bases(deps, base_id), slug)
    if not found:
        raise ToolFailed(
            f"There is no page at {slug!r}. Search the wiki, or read the page 'index'.",
            code="not_found",
        )
    if len(found) > 1:
        names = ", ".join(page.base.name for page in found)
        raise ToolFailed(
            f"Several wikis have a page at {slug!r} ({names}): say which by knowledge_base_id.",
            code="ambiguous",
        )
    return found[0]


@dataclass(frozen=True, kw_only=True)
class PageView:
    """All that is told of a page, read as one reader."""

    read: Readable
    links: list[tuple[str, str, str]]
    """Address, title, summary; the title is blank where the link leads nowhere."""
    linked_from: list[tuple[str, str, str]]
    chunks: list[Chunk]
    """Its passages in the search index, which can be cited; none where it is not searched."""
    sources: list[Evidence]
    issues: int
    documents: list[str] = field(default_factory=list)
    """Ids of all documents whose words stand in it."""


def view_of(reader: Actor, read: Readable) -> PageView:
    """Read what stands around a page."""
    page = read.page
    sources: dict[int, Evidence] = {}
    for sentence in sentences_of(reader, page):
        sources |= {each.marker: each for each in sentence.sources}
    rows = Chunk.objects.filter(document__wiki_page=page, kind=ChunkKind.TEXT)
    chunks = list(visible(reader, "view", rows.order_by("position")))
    documents = {str(each.document_id) for each in sources.values() if each.document_id}
    return PageView(
        read=read,
        links=[
            (
                link.slug,
                link.page.title if link.page else "",
                link.page.summary if link.page else "",
            )
            for link in out_links(reader, page)[:_MOST_LINKS]
        ],
        linked_from=[
            (each.slug, each.title, each.summary) for each in back_links(reader, page)[:_MOST_LINKS]
        ],
        chunks=chunks,
        sources=[sources[marker] for marker in sorted(sources)],
        issues=open_issues(reader, page),
        documents=sorted(documents | {str(each.document_id) for each in chunks}),
    )


def write_page(view: PageView, aliases: Aliases, config: AgentConfig, told: set[str]) -> str:
    """Return a page as a model reads it; summaries of pages in `told` are left out, and added to it."""
    page, content = view.read.page, view.read.content
    base = aliases.base(page.base_id, title=page.base.name)
    facts = {
        "slug": page.slug,
        "base": base,
        "title": page.title,
        "type": page.kind,
        "status": page.status,
        "version": str(page.version),
        "characters": f"{len(content)}",
    }
    head = " ".join(f"{name}={quoteattr(value)}" for name, value in facts.items())
    text = content.replace("</wiki_page", "<\\/wiki_page")
    lines = [f"<wiki_page {head}>", text, "</wiki_page>"]
    budget = config.max_tool_output_chars or RunLimits().tool_output_chars
    if len(content) > min(LONG_PAGE, budget):
        lines.append(
            "This page is long: what is shown of it may be cut in the middle. Change it only with"
            " wiki_replace_text, by the exact words of the part."
        )
    if view.read.hidden:
        lines.append(
            f"{view.read.hidden} sentences are not for the person who asks and are left out:"
            " never write this page whole."
        )
    if page.aliases:
        lines.append(f"Other names: {', '.join(page.aliases)}")
    if view.read.summary:
        lines.append(f"Summary: {view.read.summary}")
    told.add(page.slug)
    lines += _listed("Links to", view.links, told)
    lines += _listed("Linked from", view.linked_from, told)
    lines += _cited(view, aliases)
    if view.issues:
        lines.append(f"{view.issues} issues were reported on it.")
    return "\n".join(lines)


def _listed(label: str, links: Sequence[tuple[str, str, str]], told: set[str]) -> list[str]:
    if not links:
        return []
    lines = [f"{label}:"]
    for slug, title, summary in links:
        is_new = slug not in told
        told.add(slug)
        what = f"{title}: {summary}" if is_new and summary else title
        lines.append(f"- {slug} ({what or 'there is no such page'})")
    return lines


def _cited(view: PageView, aliases: Aliases) -> list[str]:
    page = view.read.page
    lines = []
    if view.chunks:
        marks = " ".join(
            f"[{alias_of(chunk, aliases, title=page.title)}]"
            + (f" {chunk.heading_path[-1]}" if chunk.heading_path else "")
            for chunk in view.chunks[:_MOST_SOURCES]
        )
        lines.append(f"Cite this page as: {marks}")
    usable = [each for each in view.sources if each.chunk_id and each.document_id]
    if usable:
        lines.append("It rests on these passages, which can be cited, too:")
    for each in usable[:_MOST_SOURCES]:
        alias = aliases.chunk(
            each.chunk_id,
            document_id=each.document_id,
            base_id=each.base_id,
            title=each.document_name,
            page=each.page_from,
        )
        document = aliases.document(
            each.document_id, base_id=each.base_id, title=each.document_name
        )
        state = "" if each.source_state == "unchanged" else f", {each.source_state} since"
        where = f", p. {each.page_from}" if each.page_from else ""
        lines.append(f"- [{alias}] {document} {each.document_name}{where}{state}")
    return lines


def alias_of(chunk: Chunk, aliases: Aliases, *, title: str) -> str:
    """Return the alias of a passage of a page."""
    return aliases.chunk(
        chunk.pk, document_id=chunk.document_id, base_id=chunk.base_id, title=title
    )


def card_entry(view: PageView) -> dict[str, Any] | None:
    """Return what the card lists of a page; None where it has no document to open."""
    page = view.read.page
    if page.document_id is None or not view.chunks:
        return None
    line = " ".join((view.read.summary or view.read.content).split())
    return {
        "chunk_id": str(view.chunks[0].pk),
        "document_id": str(page.document_id),
        "base_id": str(page.base_id),
        "name": page.title,
        "page": None,
        "heading": "",
        "excerpt": line if len(line) <= 200 else line[:199].rstrip() + "…",
        "score": None,
        "is_wiki": True,
    }
