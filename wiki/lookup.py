"""Pages as agents look for them: by regular expressions, by address, over several bases at once.

What a reader may not read of a page is matched by nothing: a pattern would be a way to guess it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from accounts.access import Actor, visible
from core.errors import NotFound
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from knowledge.retrieval.grep import check_pattern, matching
from wiki.constants import PageStatus
from wiki.models import WikiIssue, WikiPage
from wiki.pages.sources import VisibleText, visible_summary, visible_texts
from wiki.queries import find_page

CANDIDATES = 200
"""Pages that are looked at for one pattern: beyond them it is too wide to be of use."""


@dataclass(frozen=True, kw_only=True)
class Readable:
    """A page as one reader gets it."""

    page: WikiPage
    content: str
    summary: str
    hidden: int
    """Sentences that were left out."""


def bases_with_pages(bases: Sequence[KnowledgeBase]) -> set[UUID]:
    """Return those of the bases that have a wiki with a published page; asks nobody's rights."""
    found: set[UUID] = set()
    for space_id in {base.space_id for base in bases}:
        with space_scope(space_id):
            rows = WikiPage.objects.filter(
                base_id__in=[base.pk for base in bases if base.space_id == space_id],
                base__wiki__is_enabled=True,
                trashed_at__isnull=True,
                status=PageStatus.PUBLISHED,
            )
            found |= set(rows.order_by().values_list("base_id", flat=True).distinct())
    return found


def grep_pages(
    actor: Actor, base_ids: Collection[UUID], *, pattern: str, limit: int = 10
) -> list[Readable]:
    """Return published pages that match a POSIX pattern, those with it in the title first.

    Looked at are title, address, other names, summary and text, whatever their case.

    Raises:
        Invalid: the pattern is empty, too long, no regular expression, or takes too long.
    """
    check_pattern(pattern)
    rows = visible(actor, "view", _pages(base_ids)).filter(
        _matches("title", pattern)
        | _matches("slug", pattern)
        | _matches("summary", pattern)
        | _matches("content", pattern)
        | Q(aliases__iregex=pattern)
    )
    named = ExpressionWrapper(_matches("title", pattern), output_field=BooleanField())
    ordered = rows.annotate(named=named).order_by("-named", "title", "pk")
    with matching(pattern):
        pages = list(ordered.select_related("base")[:CANDIDATES])
        return [each for each in readable(actor, pages) if _shows(each, pattern)][:limit]


def readable(actor: Actor, pages: Sequence[WikiPage]) -> list[Readable]:
    """Return pages as the actor may read them, without those of which nothing is left."""
    texts = visible_texts(actor, pages)
    found: list[Readable] = []
    for page in pages:
        text = texts.get(page.pk, VisibleText(content=page.content, hidden=0))
        if text.hidden and not text.content.strip():
            continue
        summary = visible_summary(actor, page) if text.hidden else page.summary
        found.append(Readable(page=page, content=text.content, summary=summary, hidden=text.hidden))
    return found


def pages_at(actor: Actor, base_ids: Sequence[UUID], slug: str) -> list[WikiPage]:
    """Return the page that an address leads to in each of the bases that has one there."""
    found: list[WikiPage] = []
    for base_id in base_ids:
        try:
            page = find_page(actor, base_id, slug.strip().strip("/")).page
        except NotFound:
            continue
        found.append(page)
    return found


def with_text(pages: Sequence[WikiPage]) -> list[WikiPage]:
    """Return pages that were read without their text, with it, in their order."""
    found = WikiPage.objects.select_related("base").in_bulk([page.pk for page in pages])
    return [found[page.pk] for page in pages if page.pk in found]


def open_issues(actor: Actor, page: WikiPage) -> int:
    """Count what was reported on a page and not mended yet."""
    rows = WikiIssue.objects.filter(page=page, state="pending")
    return visible(actor, "view", rows).count()


def _pages(base_ids: Collection[UUID]) -> QuerySet[WikiPage]:
    return WikiPage.objects.filter(
        base_id__in=base_ids,
        base__wiki__is_enabled=True,
        trashed_at__isnull=True,
        status=PageStatus.PUBLISHED,
    )


def _matches(field: str, pattern: str) -> Q:
    return Q(**{f"{field}__iregex": pattern})


def _shows(each: Readable, pattern: str) -> bool:
    """Whether the pattern fits what the reader gets; asked again only where something is hidden."""
    if not each.hidden:
        return True
    page = each.page
    parts = (page.title, page.slug, *page.aliases, each.summary, each.content)
    return any(_fits(part, pattern) for part in parts)


def _fits(text: str, pattern: str) -> bool:
    """Ask the database, so that a pattern means the same everywhere."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s ~* %s", [text, pattern])
        row = cursor.fetchone()
    return bool(row and row[0])
