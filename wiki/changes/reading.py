"""Notices that a person has read."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from accounts.access import Actor
from wiki.changes.queries import notices_of


def mark_read(actor: Actor, notice_ids: Sequence[int] | None = None) -> int:
    """Mark notices as read, all without ids; return how many were unread."""
    rows = notices_of(actor).filter(read_at__isnull=True)
    if notice_ids is not None:
        rows = rows.filter(pk__in=notice_ids)
    return rows.update(read_at=timezone.now())
