"""What waits to be read already, here and in the other spaces with which the workers are shared."""

from __future__ import annotations

from dataclasses import dataclass

from core.jobs.standing import spaces_waiting
from knowledge.constants import DocumentState
from knowledge.jobs import INGEST_DOCUMENT
from knowledge.models import Document


@dataclass(frozen=True, kw_only=True)
class Queue:
    """What an upload finds when it comes."""

    documents: int
    """Of this space, which wait or are at work."""
    sharers: int
    """Spaces among which the workers are divided while it is read, this one included."""


def queue_of(space_id: int) -> Queue:
    """Return what waits now; called within the space."""
    waiting = Document.objects.filter(
        state__in=(DocumentState.PENDING, DocumentState.PROCESSING),
        is_draft=False,
        reason_code="",
    )
    others = spaces_waiting(INGEST_DOCUMENT.queue) - {space_id}
    return Queue(documents=waiting.count(), sharers=1 + len(others))
