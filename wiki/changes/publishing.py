"""From an edit that may stand to the page: written, renamed or removed."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from wiki.changes.requests import edit_of
from wiki.changes.states import move
from wiki.constants import ChangeAction, ChangeState
from wiki.models import WikiChange, WikiPage, WikiRevision
from wiki.pages.writing import publish, remove_page
from wiki.values import Edit


@transaction.atomic
def write(
    base: KnowledgeBase,
    page: WikiPage | None,
    edit: Edit,
    *,
    expected_version: int,
    action: ChangeAction,
    change: WikiChange | None = None,
) -> WikiRevision:
    """Let the page be what the edit says; returns the revision, of a removed page its last one.

    Raises:
        VersionConflict: the page is at another version than `expected_version`.
        Conflict: another page has the slug.
        NotFound: the page is in the trash.
    """
    if action == ChangeAction.DELETE:
        if page is None:
            raise ValueError("nothing to remove")
        remove_page(page, expected_version=expected_version, author=edit.author)
        return WikiRevision.objects.get(page=page, number=expected_version)
    return publish(base, page, edit, expected_version=expected_version, change=change)


def publish_request(change: WikiChange, *, by: Actor | None) -> WikiRevision:
    """Let the page be what an approved change request says; the caller holds its lock.

    `by` None: a rule approved it.

    Raises:
        VersionConflict, Conflict, NotFound: as for `write`, or it is not approved.
    """
    edit = edit_of(change)
    if edit.author.user_id is None and by is not None:
        edit = replace(edit, author=replace(edit.author, user_id=by.user_id))
    action = ChangeAction(change.action)
    revision = write(
        change.base,
        change.page,
        edit,
        expected_version=change.on_version,
        action=action,
        change=change,
    )
    move(
        change,
        ChangeState.PUBLISHED,
        by=by,
        page=revision.page,
        published_number=None if action == ChangeAction.DELETE else revision.number,
    )
    return revision
