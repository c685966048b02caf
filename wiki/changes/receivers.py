"""What follows when a page or a change request has become another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.dispatch import receiver

from accounts.access import Actor
from wiki.changes.requests import text_of_change, text_of_page
from wiki.changes.states import can_move, lock_change, move
from wiki.changes.telling import (
    tell_asked,
    tell_of_comment,
    tell_of_page,
    tell_of_proposal,
    tell_of_state,
)
from wiki.constants import OPEN_CHANGE_STATES, ChangeAction, ChangeState, NoticeKind
from wiki.models import WikiChange, WikiComment, WikiPage
from wiki.signals import change_moved, change_opened, change_talked, page_removed, page_written
from wiki.values import Edit


@receiver(page_written, dispatch_uid="wiki.changes.page_written")
def supersede_said_already(page_id: UUID, edit: Edit | None, **_: Any) -> None:
    """Close requests whose text the page has now; tell who watches."""
    page = WikiPage.objects.select_related("base").filter(pk=page_id).first()
    if page is None:
        return
    for change in _open_of(page):
        if change.action != ChangeAction.DELETE and text_of_change(change) == text_of_page(page):
            _supersede(change)
    by_id = edit.author.user_id if edit else None
    tell_of_page(page, NoticeKind.PAGE_CHANGED, by_id=by_id)


@receiver(page_removed, dispatch_uid="wiki.changes.page_removed")
def supersede_of_removed(page_id: UUID, **_: Any) -> None:
    """Close the requests of a page that is gone; tell who watches."""
    page = WikiPage.objects.select_related("base").filter(pk=page_id).first()
    if page is None:
        return
    for change in _open_of(page):
        _supersede(change)
    tell_of_page(page, NoticeKind.PAGE_REMOVED, by_id=None)


@receiver(change_opened, dispatch_uid="wiki.changes.opened")
def told_of_proposal(change_id: UUID, actor: Actor | None, **_: Any) -> None:
    """Tell who watches."""
    change = _change(change_id)
    if change is not None:
        tell_of_proposal(change, by=actor)


@receiver(change_moved, dispatch_uid="wiki.changes.moved")
def told_of_state(change_id: UUID, was: str, actor: Actor | None, **_: Any) -> None:
    """Tell author and reviewers."""
    change = _change(change_id)
    if change is not None:
        tell_of_state(change, was=was, by=actor)


@receiver(change_talked, dispatch_uid="wiki.changes.talked")
def told_of_talk(change_id: UUID, comment_id: UUID | None, asked: Sequence[int], **_: Any) -> None:
    """Tell who is asked, or who takes part."""
    change = _change(change_id)
    if change is None:
        return
    if asked:
        tell_asked(change, asked)
    comment = WikiComment.objects.filter(pk=comment_id).first() if comment_id else None
    if comment is not None:
        tell_of_comment(change, by_id=comment.author_id)


def _change(change_id: UUID) -> WikiChange | None:
    return WikiChange.objects.select_related("base", "page", "author").filter(pk=change_id).first()


def _open_of(page: WikiPage) -> list[WikiChange]:
    return list(WikiChange.objects.filter(page=page, state__in=OPEN_CHANGE_STATES))


def _supersede(change: WikiChange) -> None:
    with transaction.atomic():
        locked = lock_change(change)
        if can_move(locked, ChangeState.SUPERSEDED):
            move(locked, ChangeState.SUPERSEDED, by=None)
