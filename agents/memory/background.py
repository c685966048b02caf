"""When memory's jobs run: one of a kind for each person, however often it is asked for."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from agents.jobs import CONSOLIDATE_MEMORY, DISTILL_MEMORY, EMBED_MEMORY
from agents.models import MemoryOwner, MemorySettings
from core.jobs.enqueue import enqueue

TIDIED_EVERY = timedelta(days=1)


def distill_soon(owner: MemoryOwner, settings: MemorySettings) -> None:
    """Let the newest lines be read once the person has paused."""
    now = timezone.now()
    earliest = now + timedelta(seconds=settings.debounce_seconds)
    if owner.distilled_at is not None:
        pause = timedelta(seconds=settings.min_interval_seconds)
        earliest = max(earliest, owner.distilled_at + pause)
    enqueue(DISTILL_MEMORY, dedupe_key=str(owner.pk), run_after=earliest, owner_id=owner.pk)


def embed_soon(owner: MemoryOwner) -> None:
    """Let what was written get its vectors."""
    enqueue(EMBED_MEMORY, dedupe_key=str(owner.pk), owner_id=owner.pk)


def tidy_daily(owner: MemoryOwner) -> None:
    """Let the memory be tidied a day after the last time."""
    last = owner.consolidated_at or timezone.now()
    enqueue(
        CONSOLIDATE_MEMORY,
        dedupe_key=f"{owner.pk}:daily",
        run_after=last + TIDIED_EVERY,
        owner_id=owner.pk,
        on_demand=False,
    )


def tidy_now(owner: MemoryOwner) -> None:
    """Let the memory be tidied now; the page shows what came of it."""
    enqueue(CONSOLIDATE_MEMORY, dedupe_key=f"{owner.pk}:now", owner_id=owner.pk, on_demand=True)
