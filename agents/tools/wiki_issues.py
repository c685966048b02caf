"""Tools about what is wrong in a wiki: report it, read what was reported, say that it is mended."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from agents.engine.errors import ToolFailed
from agents.engine.signatures import BaseId, DocumentId
from agents.engine.tools import Tool, ToolContext, ToolResult, tool
from agents.tools.deps import RunDeps
from agents.tools.wiki_pages import WIKI, ask_wiki, one_page, wiki_bases
from agents.tracing.closed import as_sources
from wiki.constants import AuthorKind, IssueState
from wiki.issues.flagging import flag_issue, get_issue, list_issues, set_issue_state
from wiki.issues.words import describe_issues
from wiki.models import WikiIssue

MOST_ISSUES = 50


@tool(
    requires=WIKI,
    side_effects="idempotent",
    title=lambda arguments: f"Reporting a problem of {arguments['slug']}",
)
async def wiki_flag_issue(
    ctx: ToolContext[RunDeps],
    slug: Annotated[str, Field(min_length=1, max_length=200, description="Address of the page.")],
    issue_type: Annotated[
        Literal["mixed_entities", "contradictory_facts", "out_of_date", "other"],
        Field(description="What kind of problem it is."),
    ],
    description: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4000,
            description="What is wrong, with the words of the page and what the source says.",
        ),
    ],
    suspected_knowledge_ids: Annotated[
        list[DocumentId] | None,
        Field(max_length=20, description="Documents (d1, d2, …) that show it."),
    ] = None,
    knowledge_base_id: Annotated[
        BaseId | None, Field(description="The base of the wiki, where several are bound.")
    ] = None,
) -> ToolResult:
    """Report that a wiki page is wrong, mixes things up or is out of date; nothing is changed.

    Example: {"slug": "entity/harbour-trust", "issue_type": "out_of_date",
    "description": "Names J. Poe as chair; the minutes of May say A. Lee.",
    "suspected_knowledge_ids": ["d4"]}
    """
    issue, is_new = await ask_wiki(
        _flag,
        ctx.deps,
        slug,
        issue_type,
        description,
        suspected_knowledge_ids or [],
        knowledge_base_id,
    )
    said = "Reported" if is_new else "This was reported before and is open still"
    return ToolResult(
        output=f"{said}: issue {issue.pk}.",
        summary="Reported" if is_new else "Known already",
        data={"issue_id": str(issue.pk)},
    )


def _flag(
    deps: RunDeps,
    slug: str,
    kind: str,
    description: str,
    document_ids: list[str],
    base_id: str | None,
) -> tuple[WikiIssue, bool]:
    page = one_page(deps, slug, base_id)
    return flag_issue(
        deps.actor,
        page,
        kind=kind,
        description=description,
        suspected_document_ids=[_uuid(each, "document") for each in document_ids],
        reporter=AuthorKind.AGENT,
        run_id=deps.run_id,
    )


@tool(requires=WIKI, title="Reading what was reported")
async def wiki_read_issue(
    ctx: ToolContext[RunDeps],
    issue_id: Annotated[
        str | None, Field(max_length=60, description="One issue, by its id.")
    ] = None,
    slug: Annotated[
        str | None, Field(max_length=200, description="Or all open issues of this page.")
    ] = None,
    knowledge_base_id: Annotated[
        BaseId | None, Field(description="The base of the wiki, where several are bound.")
    ] = None,
) -> ToolResult:
    """Read one reported issue, or the open issues of a page; with neither, those of the wiki.

    Example: {"slug": "entity/harbour-trust"}
    """
    rows = await ask_wiki(_issues, ctx.deps, issue_id, slug, knowledge_base_id)
    if not rows:
        return ToolResult(output="No issue is open.", summary="No open issue")
    lines = []
    for issue, words, documents in rows:
        aliases = [ctx.aliases.document(each, base_id=issue.base_id) for each in documents]
        about = f" Documents: {', '.join(aliases)}." if aliases else ""
        lines.append(
            f"- issue {issue.pk} ({issue.state}, {issue.kind}) on {issue.page.slug}: {words}{about}"
        )
    read = {each for _issue, _words, documents in rows for each in documents}
    read |= {issue.page.document_id for issue, _words, _documents in rows if issue.page.document_id}
    return ToolResult(
        output="\n".join(lines),
        summary=f"{len(rows)} issues",
        data={"sources": as_sources(read)},
    )


def _issues(
    deps: RunDeps, issue_id: str | None, slug: str | None, base_id: str | None
) -> list[tuple[WikiIssue, str, list[UUID]]]:
    bases = wiki_bases(deps, base_id)
    if issue_id:
        issue = get_issue(deps.actor, _uuid(issue_id, "issue"))
        _see_in(issue, bases)
        found = [issue]
    elif slug:
        page = one_page(deps, slug, base_id)
        found = list(list_issues(deps.actor, [page.base_id], page_id=page.pk)[:MOST_ISSUES])
    else:
        found = list(list_issues(deps.actor, bases)[:MOST_ISSUES])
    return [
        (each.issue, each.words, each.document_ids) for each in describe_issues(deps.actor, found)
    ]


@tool(requires=WIKI, side_effects="idempotent", title="Updating what was reported")
async def wiki_update_issue(
    ctx: ToolContext[RunDeps],
    issue_id: Annotated[str, Field(min_length=1, max_length=60, description="The issue's id.")],
    status: Annotated[
        Literal["resolved", "ignored", "pending"],
        Field(description="resolved: mended; ignored: no problem after all; pending: open again."),
    ],
) -> ToolResult:
    """Say what became of a reported issue. Only call it resolved when the page is right now.

    An edit that waits for review resolves nothing yet: leave the issue open then.
    Example: {"issue_id": "5f3c…", "status": "resolved"}
    """
    issue = await ask_wiki(_update, ctx.deps, issue_id, status)
    return ToolResult(output=f"Issue {issue.pk} is {issue.state} now.", summary=issue.state)


def _update(deps: RunDeps, issue_id: str, status: str) -> WikiIssue:
    issue = get_issue(deps.actor, _uuid(issue_id, "issue"))
    _see_in(issue, wiki_bases(deps))
    if (
        status == IssueState.RESOLVED
        and issue.fix is not None
        and issue.fix.published_number is None
    ):
        raise ToolFailed(
            f"Change request #{issue.fix.number} that mends it waits for a review: the issue is"
            " resolved when that is published.",
            code="waits_for_review",
        )
    return set_issue_state(deps.actor, issue.pk, state=status)


WIKI_ISSUE_TOOLS: tuple[Tool[RunDeps], ...] = (wiki_flag_issue, wiki_read_issue, wiki_update_issue)


def _see_in(issue: WikiIssue, base_ids: tuple[UUID, ...]) -> None:
    if issue.base_id not in base_ids:
        raise ToolFailed("There is no such issue in this conversation's wikis.", code="not_found")


def _uuid(value: str, kind: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise ToolFailed(f"There is no {kind} {value!r}.", code="not_found") from error
