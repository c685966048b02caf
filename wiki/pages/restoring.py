"""What else comes back with a page out of the trash: the links that its deletion took away."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db.models import F
from django.utils.translation import gettext_noop

from wiki.models import WikiPage, WikiRevision
from wiki.pages.writing import REMOVED, publish, text_of
from wiki.values import Author, Edit

RESTORED = gettext_noop("“%(title)s” is back, and the links to it.")


def restore_links(page: WikiPage, *, since: datetime, author: Author) -> int:
    """Give pages the text back that they had before the page's deletion; returns how many.

    Only those that nobody edited since: the others keep what was written. The caller holds the lock
    of the wiki.
    """
    taken = WikiRevision.objects.filter(
        page__base_id=page.base_id,
        page__trashed_at__isnull=True,
        number=F("page__version"),
        created_at__gte=since,
        reason=(REMOVED % {"title": page.title})[:500],
    ).select_related("page")
    count = 0
    for revision in taken.order_by("page_id"):
        before = WikiRevision.objects.get(page_id=revision.page_id, number=revision.number - 1)
        if before.thinned_at is not None:
            continue
        edit = Edit(
            text=replace(text_of(revision.page), content=before.content),
            author=author,
            reason=RESTORED % {"title": page.title},
        )
        publish(page.base, revision.page, edit, expected_version=revision.number)
        count += 1
    return count
