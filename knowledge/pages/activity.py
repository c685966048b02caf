"""What was done to a base and in it, for its creator and the admins of its space."""

from __future__ import annotations

from typing import Any

from accounts.access import Actor, require
from accounts.audit_pages import rows_of
from accounts.services.audit_reading import read_base_activity
from knowledge.models import KnowledgeBase
from knowledge.pages.heads import head_of


def activity_context(actor: Actor, base: KnowledgeBase, *, cursor: str) -> dict[str, Any]:
    """Return what `knowledge/activity.html` shows.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
        Invalid: the cursor is none that a page gave.
    """
    require(actor, "share", base)
    page = read_base_activity(base_id=base.pk, cursor=cursor)
    return {
        **head_of(actor, base),
        "rows": rows_of(page.events),
        "next_cursor": page.next_cursor,
        "is_first": not cursor,
    }
