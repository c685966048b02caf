"""What becomes of a fix becomes of its issue."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.dispatch import receiver
from django.utils import timezone

from wiki.constants import ChangeState, IssueState
from wiki.models import WikiChange, WikiIssue
from wiki.signals import change_moved


@receiver(change_moved, dispatch_uid="wiki.issues.change_moved")
def fix_moved(*, change_id: UUID, **_more: Any) -> None:
    """Resolve an issue whose fix was published; one whose fix was refused waits for another."""
    change = WikiChange.objects.filter(pk=change_id).first()
    if change is None:
        return
    issues = WikiIssue.objects.filter(fix=change)
    if change.state == ChangeState.PUBLISHED:
        issues.filter(state=IssueState.PENDING).update(
            state=IssueState.RESOLVED,
            resolved_by=change.decided_by_id,
            updated_at=timezone.now(),
        )
    elif change.state in (ChangeState.REJECTED, ChangeState.SUPERSEDED):
        issues.filter(state=IssueState.PENDING).update(fix=None)
