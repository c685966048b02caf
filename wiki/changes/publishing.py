"""From an edit that may stand to the page: written, renamed or removed."""

from __future__ import annotations

from django.db import transaction

from knowledge.models import KnowledgeBase
from wiki.constants import ChangeAction
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
        remove_page(page, expected_version=expected_version)
        return WikiRevision.objects.get(page=page, number=expected_version)
    return publish(base, page, edit, expected_version=expected_version, change=change)
