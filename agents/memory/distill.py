"""Learns from conversations in the background: no line is dropped, and none is read twice.

The watermark moves in the transaction that writes what the lines gave. A failure leaves it where it
is; the job is tried again, and the memory page shows why nothing is learnt meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.actors import actor_of
from agents.constants import MemoryKind, MemoryOrigin, MemoryState
from agents.memory.background import distill_soon, embed_soon
from agents.memory.extraction import CANDIDATES, Extraction, extract
from agents.memory.items import Draft, write_item
from agents.memory.owners import locked
from agents.memory.ranking import rank
from agents.memory.segments import end_of, segments_of, unread_lines, with_memory
from agents.memory.sources import documents_behind
from agents.memory.switches import MemoryAccess, memory_of
from agents.memory.topics import count_topics
from agents.models import MemoryItem, MemoryOwner, MemorySettings, Message
from agents.writing import Payer, writing_model
from core.errors import NotFound, ProjectError
from core.jobs.handlers import JobContext, RetryJob
from providers.contracts.errors import ModelError

RETRY_SECONDS = 300.0
LONGEST_DEBOUNCE = 10
"""After so many times the debounce a talk that never pauses is read all the same."""
Read = tuple[Sequence[Message], Extraction]


def distill(context: JobContext, *, owner_id: int) -> int:
    """Read the person's oldest unread lines; return how many items came of them.

    Raises:
        RetryJob: the model failed; nothing was written.
        JobCancelled: another worker has the job.
    """
    owner = MemoryOwner.objects.filter(pk=owner_id).select_related("user").first()
    access = _access(owner) if owner is not None else None
    if owner is None or access is None or not access.learns or access.settings is None:
        return 0
    lines = unread_lines(owner)
    if not lines:
        return 0
    if _still_talking(lines, access.settings):
        distill_soon(owner, access.settings)
        return 0
    segments = segments_of(lines)
    read = [(each, _read(context, owner, access.settings, each)) for each in segments]
    count = _write(context, owner, read)
    if len(lines) > sum(len(each) for each in segments) or unread_lines(owner):
        distill_soon(owner, access.settings)
    return count


def _access(owner: MemoryOwner) -> MemoryAccess | None:
    """Return what memory may do for the person now; None when they are in the space no more."""
    if owner.user is None:
        return None
    try:
        return memory_of(actor_of(owner.user, space_id=owner.space_id))
    except NotFound:
        return None


def _still_talking(lines: Sequence[Message], settings: MemorySettings) -> bool:
    pause = timedelta(seconds=settings.debounce_seconds)
    now = timezone.now()
    is_fresh = lines[-1].created_at > now - pause
    return is_fresh and lines[0].created_at > now - LONGEST_DEBOUNCE * pause


def _read(
    context: JobContext, owner: MemoryOwner, settings: MemorySettings, segment: Sequence[Message]
) -> Extraction:
    context.check()
    lines = with_memory(segment)
    if not lines:
        return Extraction()
    active = list(MemoryItem.objects.filter(owner=owner, state=MemoryState.ACTIVE))
    words = " ".join(line.text for line in lines)
    payer = Payer(space_id=owner.space_id, user_id=owner.user_id, purpose="memory")
    try:
        return extract(
            writing_model(owner.space_id),
            payer,
            lines=lines,
            known=rank(words, active, by_meaning=False)[:CANDIDATES],
            wishes=settings.instructions,
        )
    except (ModelError, ProjectError) as failure:
        raise RetryJob(failure.message, delay_seconds=RETRY_SECONDS) from failure


def _write(context: JobContext, owner: MemoryOwner, read: Sequence[Read]) -> int:
    written = 0
    with transaction.atomic():
        owner = locked(owner)
        context.check_lease()
        access = _access(owner)
        if access is None or not access.learns:
            return 0  # switched off while the model read
        for segment, extraction in read:
            lines = with_memory(segment)
            written += sum(_keep(owner, lines, extraction))
            if lines:
                count_topics(owner, extraction.topics, conversation_id=lines[0].conversation_id)
        owner.read_until = end_of([segment for segment, _ in read])
        owner.distilled_at = timezone.now()
        owner.save(update_fields=["read_until", "distilled_at"])
    if written:
        embed_soon(owner)
    return written


def _keep(owner: MemoryOwner, lines: Sequence[Message], extraction: Extraction) -> list[bool]:
    """Write the items; those that were only inferred wait for the person."""
    kept = []
    for found in extraction.items:
        line = lines[found.line - 1] if found.line <= len(lines) else lines[-1]
        draft = Draft(
            kind=MemoryKind(found.kind),
            text=found.text,
            topic=found.topic,
            importance=found.importance,
            origin=MemoryOrigin.EXTRACTED,
            is_sure=found.basis == "stated",
            expires_at=found.expires_at,
            conversation_id=line.conversation_id,
            message_id=line.pk,
            document_ids=documents_behind(line, text=found.text, kind=found.kind),
        )
        kept.append(write_item(owner, draft).outcome == "added")
    return kept
