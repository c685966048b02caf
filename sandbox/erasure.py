"""What the sandbox erases of a person and a space: workspaces; the rows go with them."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.platform.erasure import Counts, Subject, register_eraser
from sandbox.constants import SessionState
from sandbox.models import SandboxSession
from sandbox.services.sessions import end_row


@register_eraser("person", name="sandbox.person")
def erase_person(subject: Subject) -> Counts:
    """Remove the workspaces of a person's conversations."""
    return _end(SandboxSession.objects.filter(user_id=int(subject.id)))


@register_eraser("space", name="sandbox.space")
def erase_space(subject: Subject) -> Counts:
    """Remove the workspaces of a space. Cleaning removes what is left when the rows have gone."""
    return _end(SandboxSession.objects.filter(space_id=subject.id))


def _end(rows: QuerySet[SandboxSession]) -> Counts:
    live = rows.filter(state=SessionState.LIVE)
    return {"sandbox.SandboxSession": sum(end_row(row) for row in live)}
