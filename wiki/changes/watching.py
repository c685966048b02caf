"""Who watches a page or a whole wiki, and the notices that were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from core.errors import AccessDenied
from knowledge.models import KnowledgeBase
from wiki.changes.queries import notices_of
from wiki.models import WikiPage, WikiWatch


@dataclass(frozen=True, kw_only=True)
class Watching:
    """Whether and how the actor watches."""

    is_watched: bool
    by_mail: bool


def watch(
    actor: Actor, base: KnowledgeBase, page: WikiPage | None = None, *, by_mail: bool = False
) -> WikiWatch:
    """Let the actor be told of changes of a page; without one, of all pages of the base.

    Raises:
        NotFound: it is not theirs to see.
        AccessDenied: a machine wants to watch.
    """
    require(actor, "view", page or base)
    if actor.user_id is None:
        raise AccessDenied(_("Only a person can be told."), attempted="wiki.watch")
    row, _made = WikiWatch.objects.update_or_create(
        base=base,
        page=page,
        user_id=actor.user_id,
        defaults={"by_mail": by_mail, "space_id": base.space_id},
    )
    return row


def unwatch(actor: Actor, base: KnowledgeBase, page: WikiPage | None = None) -> None:
    """Tell the actor no more; nothing happens when they were not told."""
    require(actor, "view", page or base)
    rows = WikiWatch.objects.filter(base=base, user_id=actor.user_id or 0)
    (rows.filter(page=page) if page else rows.filter(page__isnull=True)).delete()


def watching(actor: Actor, base: KnowledgeBase, page: WikiPage | None = None) -> Watching:
    """Return whether the actor watches exactly this: the page, or the whole wiki."""
    rows = WikiWatch.objects.filter(base=base, user_id=actor.user_id or 0)
    row = (rows.filter(page=page) if page else rows.filter(page__isnull=True)).first()
    return Watching(is_watched=row is not None, by_mail=bool(row and row.by_mail))


def mark_read(actor: Actor, notice_ids: Sequence[int] | None = None) -> int:
    """Mark notices as read, all without ids; return how many were unread."""
    rows = notices_of(actor).filter(read_at__isnull=True)
    if notice_ids is not None:
        rows = rows.filter(pk__in=notice_ids)
    return rows.update(read_at=timezone.now())
