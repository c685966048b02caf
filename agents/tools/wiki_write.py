"""Tools that change a wiki. Each edit is published or waits for a review, as page and base have it."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from agents.engine.errors import ToolFailed
from agents.engine.signatures import BaseId, ChunkId
from agents.engine.tools import Tool, ToolContext, ToolResult, tool
from agents.models import RunEvent
from agents.tools.deps import RunDeps
from agents.tools.wiki_pages import LONG_PAGE, WIKI, ask_wiki, one_page, wiki_bases
from agents.tools.wiki_sources import read_part, read_sources
from wiki.changes.submitting import Outcome
from wiki.lookup import pages_at, readable
from wiki.models import WikiPage
from wiki.pages.authors import agent_of
from wiki.services.pages import create_page, delete_page, edit_page, rename_page
from wiki.text.slugs import clean_slug
from wiki.values import Author

Kind = Literal["summary", "entity", "concept", "index", "synthesis", "comparison"]
Slug = Annotated[
    str, Field(min_length=1, max_length=200, description="Address of the page: type/name.")
]
SourceRefs = Annotated[
    list[ChunkId] | None,
    Field(
        max_length=50,
        description="Passages (c1, c2, …) that the new sentences rest on; only ones you have read.",
    ),
]
OneBase = Annotated[
    BaseId | None,
    Field(description="The base of the wiki (b1, b2, …); needed where several are bound."),
]


@tool(
    requires=WIKI,
    side_effects="idempotent",
    title=lambda arguments: f"Writing {arguments['slug']}",
)
async def wiki_write_page(
    ctx: ToolContext[RunDeps],
    slug: Slug,
    title: Annotated[str, Field(min_length=1, max_length=512)],
    summary: Annotated[str, Field(max_length=1000, description="One line.")],
    content: Annotated[
        str, Field(max_length=200_000, description="The whole page in Markdown, without its title.")
    ],
    page_type: Annotated[Kind, Field(description="What the page is about.")],
    aliases: Annotated[
        list[Annotated[str, Field(max_length=200)]] | None,
        Field(max_length=50, description="Other names; leave out to keep those there are."),
    ] = None,
    source_refs: SourceRefs = None,
    knowledge_base_id: OneBase = None,
) -> ToolResult:
    """Write a new wiki page, or all of one anew. For a change of a part use wiki_replace_text.

    Read a page before you write it anew. Link to other pages as [[address|name]]. Put [c3] behind a
    sentence to say what it rests on; the mark is not shown.
    Example: {"slug": "concept/trim-wheel", "title": "Trim wheel", "summary": "Sets the elevator.",
    "content": "The trim wheel sets the elevator [c3].", "page_type": "concept"}
    """
    outcome = await ask_wiki(
        _write,
        ctx,
        slug=slug,
        title=title,
        summary=summary,
        content=content,
        kind=page_type,
        aliases=aliases,
        source_refs=source_refs or [],
        base_id=knowledge_base_id,
    )
    return _told(outcome)


def _write(
    ctx: ToolContext[RunDeps],
    *,
    slug: str,
    title: str,
    summary: str,
    content: str,
    kind: str,
    aliases: list[str] | None,
    source_refs: list[str],
    base_id: str | None,
) -> Outcome:
    deps = ctx.deps
    cleaned = clean_slug(slug, kind=kind)
    base_ids = wiki_bases(deps, base_id)
    found = pages_at(deps.actor, base_ids, cleaned)
    if not found:
        if len(base_ids) != 1:
            raise ToolFailed(
                "Several wikis are bound: say by knowledge_base_id which one gets the page.",
                code="ambiguous",
            )
        text, sources = read_sources(
            deps.actor, base_ids[0], ctx.aliases, text=content, before="", source_refs=source_refs
        )
        return create_page(
            deps.actor,
            base_id=base_ids[0],
            slug=cleaned,
            title=title,
            kind=kind,
            content=text,
            summary=summary,
            aliases=aliases or (),
            sources=sources,
            author=_author(deps),
        )
    page = one_page(deps, cleaned, base_id)
    _see_may_be_written_whole(deps, page)
    text, sources = read_sources(
        deps.actor,
        page.base_id,
        ctx.aliases,
        text=content,
        before=page.content,
        source_refs=source_refs,
    )
    return edit_page(
        deps.actor,
        page.pk,
        on_version=page.version,
        title=title,
        kind=kind,
        content=text,
        summary=summary,
        aliases=aliases,
        sources=sources,
        author=_author(deps),
    )


def _see_may_be_written_whole(deps: RunDeps, page: WikiPage) -> None:
    """Refuse to overwrite what the run does not know: unread, changed since, long, or partly hidden."""
    if len(page.content) > LONG_PAGE:
        raise ToolFailed(
            f"The page has {len(page.content):,} characters, too many to write them anew without"
            " losing some. Change it by parts with wiki_replace_text.",
            code="long_page",
        )
    read = readable(deps.actor, [page])
    if not read or read[0].hidden:
        raise ToolFailed(
            "The page has sentences that are not for the person who asks: writing it whole would"
            " lose them. Change it by parts with wiki_replace_text.",
            code="partly_hidden",
        )
    version = _version_read(deps.run_id, page)
    if version != page.version:
        what = "was changed since you read it" if version else "exists already and was not read yet"
        raise ToolFailed(
            f"The page {what}. Read it with wiki_read_page, then write it anew from what it says.",
            code="version_conflict",
        )


def _version_read(run_id: UUID, page: WikiPage) -> int | None:
    """Return at which version the run has read the page last; None: it has not."""
    rows = RunEvent.objects.filter(
        run_id=run_id,
        type="tool_call_finished",
        data__data__wiki_pages__contains=[{"page_id": str(page.pk)}],
    )
    last = rows.order_by("-seq").values_list("data", flat=True).first()
    if last is None:
        return None
    versions = [
        each["version"] for each in last["data"]["wiki_pages"] if each["page_id"] == str(page.pk)
    ]
    return int(versions[-1])


@tool(
    requires=WIKI,
    side_effects="idempotent",
    title=lambda arguments: f"Changing {arguments['slug']}",
)
async def wiki_replace_text(
    ctx: ToolContext[RunDeps],
    slug: Slug,
    old_text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description="Exact words of the page, enough of them to stand there only once.",
        ),
    ],
    new_text: Annotated[
        str, Field(max_length=20_000, description="What stands there then; empty to take it out.")
    ],
    source_refs: SourceRefs = None,
    knowledge_base_id: OneBase = None,
) -> ToolResult:
    """Replace a part of a wiki page by other words; all the rest stays as it is.

    Example: {"slug": "concept/trim-wheel", "old_text": "It turns by hand.",
    "new_text": "It turns by hand or motor [c4]."}
    """
    outcome = await ask_wiki(
        _replace,
        ctx,
        slug=slug,
        old=old_text,
        new=new_text,
        source_refs=source_refs or [],
        base_id=knowledge_base_id,
    )
    return _told(outcome)


def _replace(
    ctx: ToolContext[RunDeps],
    *,
    slug: str,
    old: str,
    new: str,
    source_refs: list[str],
    base_id: str | None,
) -> Outcome:
    deps = ctx.deps
    page = one_page(deps, slug, base_id)
    read = readable(deps.actor, [page])
    seen = read[0].content if read else ""
    if seen.count(old) == 0:
        raise ToolFailed(
            "These words do not stand on the page. Read it again and copy them exactly, with marks"
            " and line breaks.",
            code="not_on_page",
        )
    if page.content.count(old) != 1:
        raise ToolFailed(
            f"These words stand on the page {seen.count(old)} times. Give more of what is around"
            " the place you mean.",
            code="not_unique",
        )
    at = page.content.index(old)
    content, sources = read_part(
        deps.actor,
        page.base_id,
        ctx.aliases,
        content=page.content,
        span=(at, at + len(old)),
        text=new,
        source_refs=source_refs,
    )
    return edit_page(
        deps.actor,
        page.pk,
        on_version=page.version,
        content=content,
        sources=sources,
        author=_author(deps),
    )


@tool(
    requires=WIKI,
    side_effects="idempotent",
    title=lambda arguments: f"Renaming {arguments['slug']}",
)
async def wiki_rename_page(
    ctx: ToolContext[RunDeps],
    slug: Slug,
    new_slug: Annotated[str, Field(min_length=1, max_length=200, description="New address.")],
    knowledge_base_id: OneBase = None,
) -> ToolResult:
    """Give a wiki page another address; links of other pages follow, the old address leads to it.

    Example: {"slug": "concept/trim-weel", "new_slug": "concept/trim-wheel"}
    """
    outcome = await ask_wiki(_rename, ctx.deps, slug, new_slug, knowledge_base_id)
    return _told(outcome)


def _rename(deps: RunDeps, slug: str, new_slug: str, base_id: str | None) -> Outcome:
    page = one_page(deps, slug, base_id)
    return rename_page(
        deps.actor, page.pk, new_slug=new_slug, on_version=page.version, author=_author(deps)
    )


@tool(
    requires=WIKI,
    side_effects="unsafe",
    title=lambda arguments: f"Deleting {arguments['slug']}",
)
async def wiki_delete_page(
    ctx: ToolContext[RunDeps], slug: Slug, knowledge_base_id: OneBase = None
) -> ToolResult:
    """Put a wiki page into the trash; links to it become plain words. People can bring it back.

    Example: {"slug": "concept/trim-weel"}
    """
    return _told(await ask_wiki(_delete, ctx.deps, slug, knowledge_base_id))


def _delete(deps: RunDeps, slug: str, base_id: str | None) -> Outcome:
    page = one_page(deps, slug, base_id)
    return delete_page(deps.actor, page.pk, on_version=page.version, author=_author(deps))


WIKI_WRITE_TOOLS: tuple[Tool[RunDeps], ...] = (
    wiki_write_page,
    wiki_replace_text,
    wiki_rename_page,
    wiki_delete_page,
)


def _author(deps: RunDeps) -> Author:
    return agent_of(deps.actor, agent_id=deps.agent_id, run_id=deps.run_id)


def _told(outcome: Outcome) -> ToolResult:
    """Say what became of an edit, so that nobody takes a proposal for a published page."""
    if outcome.revision is not None:
        number, slug = outcome.revision.number, outcome.revision.slug
        return ToolResult(
            output=f"Published as revision {number} of {slug}. {outcome.note}".rstrip(),
            summary=f"Revision {number}",
            data={"revision": number, "slug": slug},
        )
    if outcome.change is not None:
        number = outcome.change.number
        return ToolResult(
            output=f"Nothing is published yet: it waits for review as change request #{number}."
            f" {outcome.note}".rstrip(),
            summary=f"Change request #{number}",
            data={"change": number, "slug": outcome.change.slug},
        )
    return ToolResult(output=f"Nothing was done. {outcome.note}".rstrip(), summary="Nothing done")
