"""Tells people of change requests and of pages that they watch: in the inbox, and by mail.

Nobody is told of their own doing, nor of what they may not see. Mails of one base are an hour apart
at least, so that a building of hundreds of pages does not fill a mailbox.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone, translation

from accounts.access import Actor, may
from accounts.actors import find_actor
from accounts.models import User
from accounts.notices.links import full_address
from accounts.notices.mail import send_mail
from knowledge.models import KnowledgeBase
from wiki.changes.queries import changes_of, readable
from wiki.changes.rights import is_own
from wiki.changes.stopping import stop_path
from wiki.constants import ChangeState, NoticeKind
from wiki.models import WikiChange, WikiNotice, WikiPage, WikiReviewer, WikiWatch

BETWEEN_MAILS: Final = timedelta(hours=1)
_OF_STATE: Final = {
    ChangeState.APPROVED: NoticeKind.APPROVED,
    ChangeState.CHANGES_ASKED: NoticeKind.CHANGES_ASKED,
    ChangeState.REJECTED: NoticeKind.REJECTED,
    ChangeState.PUBLISHED: NoticeKind.PUBLISHED,
    ChangeState.SUPERSEDED: NoticeKind.SUPERSEDED,
}


def tell_of_proposal(change: WikiChange, *, by: Actor | None) -> None:
    """Tell those who watch the page or the base and may see the request."""
    _tell_of_change(change, NoticeKind.PROPOSED, _watchers(change.base, change.page), by=by)


def tell_of_state(change: WikiChange, *, was: str, by: Actor | None) -> None:
    """Tell the author what became of it; reviewers, that it was handed in again."""
    state = ChangeState(change.state)
    kind = _OF_STATE.get(state)
    if kind is not None and change.author is not None:
        _tell_of_change(change, kind, {change.author: True}, by=by)
    elif state == ChangeState.IN_REVIEW and was != ChangeState.APPROVED:
        _tell_of_change(change, NoticeKind.RESUBMITTED, _reviewers(change), by=by)


def tell_asked(change: WikiChange, user_ids: Iterable[int]) -> None:
    """Tell people that they are asked to review."""
    people = dict.fromkeys(User.objects.filter(pk__in=list(user_ids)), True)
    _tell_of_change(change, NoticeKind.REVIEW_ASKED, people, by=None)


def tell_of_comment(change: WikiChange, *, by_id: int | None) -> None:
    """Tell author, reviewers and who commented before."""
    people = dict.fromkeys(_reviewers(change), False)
    if change.author is not None:
        people[change.author] = False
    for comment in change.comments.select_related("author"):
        if comment.author is not None:
            people[comment.author] = False
    _tell_of_change(change, NoticeKind.COMMENTED, people, by=None, by_id=by_id)


def tell_of_page(page: WikiPage, kind: NoticeKind, *, by_id: int | None) -> None:
    """Tell who watches the page or the base."""
    for user, by_mail in _watchers(page.base, page).items():
        actor = find_actor(user, space_id=page.space_id)
        if user.pk == by_id or actor is None:
            continue
        seen = page.base if kind == NoticeKind.PAGE_REMOVED else page
        if may(actor, "view", seen):
            _tell(user, page.base, kind, page=page, by_id=by_id, by_mail=by_mail)


def _tell_of_change(
    change: WikiChange,
    kind: NoticeKind,
    people: dict[User, bool],
    *,
    by: Actor | None,
    by_id: int | None = None,
) -> None:
    by_id = by.user_id if by else by_id
    for user, by_mail in people.items():
        if user.pk == by_id:
            continue
        actor = find_actor(user, space_id=change.space_id)
        if actor is None:
            continue
        seen = readable(actor, changes_of(actor, base_id=change.base_id).filter(pk=change.pk))
        if seen and not (kind == NoticeKind.PROPOSED and is_own(actor, change)):
            _tell(user, change.base, kind, change=change, by_id=by_id, by_mail=by_mail)


def _tell(
    user: User,
    base: KnowledgeBase,
    kind: NoticeKind,
    *,
    page: WikiPage | None = None,
    change: WikiChange | None = None,
    by_id: int | None,
    by_mail: bool,
) -> None:
    now = timezone.now()
    rows = WikiNotice.objects.filter(user=user, base=base, kind=kind, read_at__isnull=True)
    rows = rows.filter(page=page) if page else rows.filter(change=change)
    row = rows.first()
    if row is None:
        row = WikiNotice(space_id=base.space_id, user=user, base=base, kind=kind)
        row.page, row.change = page, change
    row.by_id, row.at = by_id, now
    row.save()
    if by_mail and not _was_mailed(user, base, now - BETWEEN_MAILS):
        _mail(user, row)


def _was_mailed(user: User, base: KnowledgeBase, since: datetime) -> bool:
    rows = WikiNotice.objects.filter(user=user, base=base, mailed_at__gt=since)
    return rows.exists()


def _mail(user: User, row: WikiNotice) -> None:
    unread = WikiNotice.objects.filter(user=user, base=row.base, read_at__isnull=True).count()
    language = user.language or row.base.space.language or translation.get_language() or "en"
    with translation.override(language):
        sent = send_mail(
            to=user.email,
            template="notices/wiki.txt",
            context={
                "told": row.get_kind_display(),
                "title": row.change.title if row.change else row.page.title if row.page else "",
                "base": row.base.name,
                "others": unread - 1,
                "thing": full_address(_path_of(row)),
                "inbox": full_address(reverse("wiki_inbox")),
                "stop": full_address(stop_path(user, row.base)) if _gets_mails(user, row) else "",
            },
        )
    if sent:
        WikiNotice.objects.filter(pk=row.pk).update(mailed_at=timezone.now())


def _path_of(row: WikiNotice) -> str:
    if row.change is not None:
        return reverse("wiki_change", args=[row.base_id, row.change.number])
    if row.page is not None and row.kind != NoticeKind.PAGE_REMOVED:
        return reverse("wiki_page_by_id", args=[row.base_id, row.page_id])
    return reverse("wiki_index", args=[row.base_id])


def _gets_mails(user: User, row: WikiNotice) -> bool:
    """Whether there is something to end: who is asked in person is mailed without watching."""
    return WikiWatch.objects.filter(user=user, base=row.base, by_mail=True).exists()


def _watchers(base: KnowledgeBase, page: WikiPage | None) -> dict[User, bool]:
    """Return who watches, and whether they want mails."""
    where = Q(page__isnull=True) | Q(page=page) if page else Q(page__isnull=True)
    found: dict[User, bool] = {}
    for row in WikiWatch.objects.filter(where, base=base).select_related("user"):
        found[row.user] = found.get(row.user, False) or row.by_mail
    return found


def _reviewers(change: WikiChange) -> dict[User, bool]:
    rows = WikiReviewer.objects.filter(change=change).select_related("user")
    return {row.user: True for row in rows}
