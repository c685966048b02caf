"""Reads of wikis, as far as the actor may see them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import Invalid, NotFound
from knowledge.models import KnowledgeBase
from knowledge.queries import get_base
from wiki.constants import (
    OPEN_CHANGE_STATES,
    IssueState,
    OperationState,
    PageKind,
    PageStatus,
)
from wiki.models import (
    WikiChange,
    WikiFolder,
    WikiIssue,
    WikiLink,
    WikiOperation,
    WikiPage,
    WikiRedirect,
    WikiRevision,
    WikiSettings,
)
from wiki.pages.closed import closed_page_ids
from wiki.pages.sources import hidden_page_ids, visible_texts

INDEX_LIMIT, MOST_INDEX = 50, 200
SEARCH_LIMIT, MOST_SEARCH = 10, 100
RECENT_DAYS = 7


def get_wiki(actor: Actor, base_id: UUID) -> WikiSettings:
    """Return the settings of a base's wiki, with the base.

    Raises:
        NotFound: there is no such base, it is not for the actor, or it has no wiki.
    """
    base = get_base(actor, base_id)
    row = WikiSettings.objects.filter(base=base, is_enabled=True).select_related("base").first()
    if row is None:
        raise NotFound(_("This knowledge base has no wiki."))
    return row


def require_wiki(actor: Actor, base_id: UUID) -> KnowledgeBase:
    """Return the base; raise NotFound as `get_wiki` does."""
    return get_wiki(actor, base_id).base


def has_wiki(base_id: UUID) -> bool:
    """Whether the base has a wiki that is switched on."""
    return WikiSettings.objects.filter(base_id=base_id, is_enabled=True).exists()


def pages_of(actor: Actor, base_id: UUID) -> QuerySet[WikiPage]:
    """Return the pages of a base that the actor sees.

    None of the trash, drafts for editors only, and none that says nothing but what is closed to them.
    """
    rows = visible(actor, "view", WikiPage.objects.filter(base_id=base_id))
    closed = closed_page_ids(actor, base_id)
    return rows.exclude(pk__in=closed) if closed else rows


def published_pages(actor: Actor, base_id: UUID) -> QuerySet[WikiPage]:
    """Return what readers and searches meet: neither drafts nor what is archived."""
    return pages_of(actor, base_id).filter(status=PageStatus.PUBLISHED)


def get_page(actor: Actor, page_id: UUID) -> WikiPage:
    """Return one page with base, folder and last author.

    Raises:
        NotFound: there is none, it is in the trash, or the actor may not see it.
    """
    rows = WikiPage.objects.filter(pk=page_id).select_related("base", "folder", "last_author")
    page = _open(actor, visible(actor, "view", rows).first())
    if page is None:
        raise NotFound(_("There is no such page."))
    return page


def _open(actor: Actor, page: WikiPage | None) -> WikiPage | None:
    """Return the page, unless all that it says is closed to the actor."""
    return None if page is None or hidden_page_ids(actor, [page]) else page


@dataclass(frozen=True, kw_only=True)
class Found:
    """What an address leads to."""

    page: WikiPage
    is_redirect: bool
    """The address is one that the page had before."""


def find_page(actor: Actor, base_id: UUID, slug: str) -> Found:
    """Return the page of an address, also of an earlier one.

    Raises:
        NotFound: nothing is there for the actor.
    """
    rows = WikiPage.objects.select_related("base", "folder", "last_author")
    page = _open(actor, visible(actor, "view", rows.filter(base_id=base_id, slug=slug)).first())
    if page is not None:
        return Found(page=page, is_redirect=False)
    old = WikiRedirect.objects.filter(base_id=base_id, slug=slug).first()
    if old is not None:
        page = _open(actor, visible(actor, "view", rows.filter(pk=old.page_id)).first())
    if page is None:
        raise NotFound(_("There is no page at “%(slug)s”.") % {"slug": slug})
    return Found(page=page, is_redirect=True)


def list_trash(actor: Actor, base_id: UUID) -> QuerySet[WikiPage]:
    """Return the pages that the actor may bring back, last deleted first."""
    rows = WikiPage.objects.filter(base_id=base_id, trashed_at__isnull=False)
    return visible(actor, "manage", rows).order_by("-trashed_at", "title")


def revision_of(page: WikiPage, number: int) -> WikiRevision | None:
    """Return one revision of a page that the caller may see; None: there is none."""
    return WikiRevision.objects.filter(page=page, number=number).first()


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A folder with what is in it; the top has no folder."""

    folder: WikiFolder | None
    branches: tuple[Branch, ...]
    pages: tuple[WikiPage, ...]
    """Without text and summary, in their order."""

    @property
    def total(self) -> int:
        """Pages in it and below."""
        return len(self.pages) + sum(each.total for each in self.branches)


def tree_of(actor: Actor, base_id: UUID, *, kinds: Sequence[str] = ()) -> Branch:
    """Return all folders and pages of a base, two queries however many there are."""
    folders = list(visible(actor, "view", WikiFolder.objects.filter(base_id=base_id)))
    rows = pages_of(actor, base_id).exclude(status=PageStatus.ARCHIVED)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    pages = rows.defer("content", "summary").order_by("sort_order", "title", "pk")
    in_folder: dict[UUID | None, list[WikiPage]] = {}
    for page in pages:
        in_folder.setdefault(page.folder_id, []).append(page)
    below: dict[UUID | None, list[WikiFolder]] = {}
    for folder in folders:
        below.setdefault(folder.parent_id, []).append(folder)

    def branch(folder: WikiFolder | None) -> Branch:
        key = folder.pk if folder else None
        return Branch(
            folder=folder,
            branches=tuple(branch(each) for each in below.get(key, ())),
            pages=tuple(in_folder.get(key, ())),
        )

    return branch(None)


@dataclass(frozen=True, kw_only=True)
class IndexGroup:
    """Pages of one kind."""

    kind: PageKind
    total: int
    pages: tuple[WikiPage, ...]
    cursor: str
    """Where the next ones begin; blank: these are the last."""


def index_of(
    actor: Actor,
    base_id: UUID,
    *,
    kinds: Sequence[str] = (),
    limit: int = INDEX_LIMIT,
    cursor: str = "",
) -> tuple[IndexGroup, ...]:
    """Return published pages by kind and title; a cursor goes on with the one kind it came with.

    Raises:
        Invalid: the cursor is none of ours.
    """
    rows = published_pages(actor, base_id)
    totals = dict(rows.order_by().values_list("kind").annotate(Count("pk")))
    after = _read_cursor(cursor) if cursor else None
    wanted = (
        [after[0]] if after else [each for each in PageKind.values if not kinds or each in kinds]
    )
    size = max(1, min(limit, MOST_INDEX))
    groups: list[IndexGroup] = []
    for kind in wanted:
        if not totals.get(kind):
            continue
        found = rows.filter(kind=kind).defer("content").order_by("title", "pk")
        if after:
            found = found.filter(Q(title__gt=after[1]) | Q(title=after[1], pk__gt=after[2]))
        page = list(found[: size + 1])
        more = len(page) > size
        page = page[:size]
        groups.append(
            IndexGroup(
                kind=PageKind(kind),
                total=totals[kind],
                pages=tuple(page),
                cursor=_cursor(kind, page[-1]) if more else "",
            )
        )
    return tuple(groups)


def _cursor(kind: str, page: WikiPage) -> str:
    return base64.urlsafe_b64encode(json.dumps([kind, page.title, str(page.pk)]).encode()).decode()


def _read_cursor(cursor: str) -> tuple[str, str, UUID]:
    try:
        kind, title, pk = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        return PageKind(kind), str(title), UUID(pk)
    except (ValueError, TypeError, AttributeError, binascii.Error):
        raise Invalid(_("This place in the index is not known; begin at its top.")) from None


def list_pages(
    actor: Actor,
    base_id: UUID,
    *,
    kinds: Sequence[str] = (),
    status: str = "",
    folder_id: UUID | None = None,
    query: str = "",
    sort: str = "-updated_at",
) -> QuerySet[WikiPage]:
    """Return pages without their text; `sort` is updated_at, created_at or title, "-" turns it."""
    rows = pages_of(actor, base_id).defer("content").select_related("folder", "last_author")
    if kinds:
        rows = rows.filter(kind__in=kinds)
    if status in PageStatus.values:
        rows = rows.filter(status=status)
    if folder_id is not None:
        rows = rows.filter(folder_id=folder_id)
    if query.strip():
        rows = rows.filter(_says(query))
    known = ("updated_at", "created_at", "title")
    order = sort if sort.removeprefix("-") in known else "-updated_at"
    return rows.order_by(order, "pk")


def search_pages(
    actor: Actor, base_id: UUID, query: str, *, limit: int = SEARCH_LIMIT
) -> list[WikiPage]:
    """Return published pages that hold every word, those with it in the title first.

    Of the pages' own table, for people who look for a page: passages are found by `retrieve`. Words
    of sentences that are closed to the actor find nothing.
    """
    if not query.strip():
        return []
    wanted = query.strip()
    near = Case(
        When(Q(title__iexact=wanted) | Q(slug__iexact=wanted), then=Value(0)),
        When(title__istartswith=wanted, then=Value(1)),
        When(title__icontains=wanted, then=Value(2)),
        When(aliases__icontains=wanted, then=Value(3)),
        When(summary__icontains=wanted, then=Value(4)),
        default=Value(5),
        output_field=IntegerField(),
    )
    rows = published_pages(actor, base_id).filter(_says(query)).annotate(near=near)
    size = max(1, min(limit, MOST_SEARCH))
    return _saying_it_openly(actor, rows.order_by("near", "title", "pk"), query)[:size]


def _saying_it_openly(actor: Actor, rows: QuerySet[WikiPage], query: str) -> list[WikiPage]:
    """Drop pages that hold a word only where the actor does not read."""
    found = list(rows[:MOST_SEARCH])
    texts = visible_texts(actor, found)
    words = [word.casefold() for word in query.split()[:10]]
    kept: list[WikiPage] = []
    for page in found:
        text = texts[page.pk]
        open_text = " ".join((page.title, page.slug, *page.aliases, text.content)).casefold()
        if not text.hidden or all(word in open_text for word in words):
            kept.append(page)
    return kept


def _says(query: str) -> Q:
    where = Q()
    for word in query.split()[:10]:
        where &= (
            Q(title__icontains=word)
            | Q(slug__icontains=word)
            | Q(aliases__icontains=word)
            | Q(summary__icontains=word)
            | Q(content__icontains=word)
        )
    return where


def back_links(actor: Actor, page: WikiPage) -> QuerySet[WikiPage]:
    """Return the pages that lead to one, by title."""
    sources = WikiLink.objects.filter(target=page).values("source_id")
    rows = pages_of(actor, page.base_id).filter(pk__in=sources).exclude(pk=page.pk)
    return rows.defer("content").order_by("title", "pk")


@dataclass(frozen=True, kw_only=True)
class OutLink:
    """A link of a page."""

    slug: str
    page: WikiPage | None
    """None: it leads nowhere, for this actor."""


def out_links(actor: Actor, page: WikiPage) -> tuple[OutLink, ...]:
    """Return where a page leads to, in the order of the addresses."""
    rows = list(WikiLink.objects.filter(source=page).order_by("slug"))
    targets = pages_of(actor, page.base_id).filter(pk__in=[row.target_id for row in rows])
    seen = {each.pk: each for each in targets.defer("content")}
    return tuple(
        OutLink(slug=row.slug, page=seen.get(row.target_id) if row.target_id else None)
        for row in rows
    )


@dataclass(frozen=True, kw_only=True)
class WikiStats:
    """What a wiki holds and what waits in it."""

    total_pages: int
    pages_by_kind: dict[str, int]
    total_links: int
    orphan_count: int
    """Published pages, but index pages, to which no other page leads."""
    recent_updates: int
    """Pages changed within `RECENT_DAYS`."""
    pending_tasks: int
    pending_issues: int
    open_changes: int
    is_active: bool
    """Whether building is going on or about to."""
    updated_at: datetime | None


def stats_of(actor: Actor, base_id: UUID) -> WikiStats:
    """Count what the actor sees of a base's wiki."""
    rows = published_pages(actor, base_id)
    by_kind = dict(rows.order_by().values_list("kind").annotate(Count("pk")))
    linked = WikiLink.objects.filter(target=OuterRef("pk")).exclude(source=OuterRef("pk"))
    orphans = rows.exclude(kind=PageKind.INDEX).exclude(Exists(linked))
    newest = rows.order_by("-updated_at").values_list("updated_at", flat=True).first()
    waiting = WikiOperation.objects.filter(
        base_id=base_id, state__in=(OperationState.PENDING, OperationState.CLAIMED)
    ).count()
    issues = visible(actor, "view", WikiIssue.objects.filter(base_id=base_id))
    changes = visible(actor, "view", WikiChange.objects.filter(base_id=base_id))
    return WikiStats(
        total_pages=sum(by_kind.values()),
        pages_by_kind=by_kind,
        total_links=WikiLink.objects.filter(source__in=rows.values("pk")).count(),
        orphan_count=orphans.count(),
        recent_updates=rows.filter(
            updated_at__gte=timezone.now() - timedelta(days=RECENT_DAYS)
        ).count(),
        pending_tasks=waiting,
        pending_issues=issues.filter(state=IssueState.PENDING, page__trashed_at=None).count(),
        open_changes=changes.filter(state__in=OPEN_CHANGE_STATES).count(),
        is_active=bool(waiting),
        updated_at=newest,
    )
