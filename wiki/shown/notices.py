"""Notices as the inbox shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from accounts.access import Actor, visible
from wiki.changes.queries import changes_of, readable
from wiki.constants import NoticeKind
from wiki.models import WikiNotice, WikiPage
from wiki.rendering import page_url

_ICONS = {
    NoticeKind.REVIEW_ASKED: "eye",
    NoticeKind.COMMENTED: "message-square-text",
    NoticeKind.APPROVED: "check",
    NoticeKind.CHANGES_ASKED: "pencil",
    NoticeKind.REJECTED: "x",
    NoticeKind.PUBLISHED: "circle-check",
    NoticeKind.PAGE_CHANGED: "history",
    NoticeKind.PAGE_REMOVED: "trash-2",
}


@dataclass(frozen=True, kw_only=True)
class NoticeLine:
    """One notice. What the person may not see any more has neither title nor address."""

    id: int
    what: str
    icon_name: str
    title: str
    url: str
    base_name: str
    by: str
    at: datetime
    is_unread: bool


def notice_lines(actor: Actor, notices: Sequence[WikiNotice]) -> list[NoticeLine]:
    """Return notices with the titles that the actor may still read."""
    rows = list(notices)
    asked = changes_of(actor).filter(pk__in=[row.change_id for row in rows if row.change_id])
    changes = {change.pk for change in readable(actor, asked)}
    pages = set(
        visible(
            actor,
            "view",
            WikiPage.objects.filter(pk__in=[row.page_id for row in rows if row.page_id]),
        ).values_list("pk", flat=True)
    )
    return [_line(row, sees=row.change_id in changes or row.page_id in pages) for row in rows]


def _line(row: WikiNotice, *, sees: bool) -> NoticeLine:
    title = url = ""
    if sees and row.change is not None:
        title = row.change.title
        url = reverse("wiki_change", args=[row.base_id, row.change.number])
    elif sees and row.page is not None:
        title, url = row.page.title, page_url(row.base_id, row.page.slug)
    kind = NoticeKind(row.kind)
    return NoticeLine(
        id=row.pk,
        what=str(kind.label),
        icon_name=_ICONS.get(kind, "git-compare"),
        title=title,
        url=url,
        base_name=row.base.name,
        by=str(row.by) if row.by else "",
        at=row.at,
        is_unread=row.read_at is None,
    )
