"""Tidying as a job, and the last result as the page shows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta

from django.core.cache import cache

from accounts.access import Actor, require
from agents.jobs import CONSOLIDATE_MEMORY, DISTILL_MEMORY
from agents.memory.background import tidy_daily, tidy_now
from agents.memory.consolidation import Consolidation, consolidate
from agents.memory.owners import find_owner
from agents.models import MemoryItem, MemoryOwner
from core.jobs.handlers import JobContext
from core.models import BackgroundJob, JobState

SHOWN_FOR = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Tidying:
    """Whether tidying goes on, and what the last one did."""

    is_running: bool
    result: Consolidation | None
    problem: str = ""
    """Why the last one failed."""


def tidy(context: JobContext, *, owner_id: int, on_demand: bool) -> Consolidation | None:
    """Tidy a memory and keep the result for its page; None when it was deleted meanwhile."""
    owner = MemoryOwner.objects.filter(pk=owner_id).first()
    if owner is None:
        return None
    result = consolidate(context, owner, on_demand=on_demand)
    cache.set(_key(owner), asdict(result), timeout=int(SHOWN_FOR.total_seconds()))
    if not on_demand and MemoryItem.objects.filter(owner=owner).exists():
        owner.refresh_from_db()
        tidy_daily(owner)
    return result


def start_tidying(actor: Actor) -> Tidying:
    """Begin to tidy the actor's memory, unless that is under way."""
    owner = find_owner(actor)
    if owner is None:
        return Tidying(is_running=False, result=None)
    require(actor, "change", owner)
    cache.delete(_key(owner))
    tidy_now(owner)
    return tidying_of(actor)


def tidying_of(actor: Actor) -> Tidying:
    """Return how tidying the actor's memory stands."""
    owner = find_owner(actor)
    if owner is None:
        return Tidying(is_running=False, result=None)
    job = _last_job(CONSOLIDATE_MEMORY.name, f"{owner.pk}:now")
    kept = cache.get(_key(owner))
    failed = job is not None and job.state == JobState.FAILED
    return Tidying(
        is_running=job is not None and job.state in (JobState.QUEUED, JobState.RUNNING),
        result=Consolidation(**kept) if kept else None,
        problem=job.reason if job is not None and failed and not kept else "",
    )


def learning_problem(owner: MemoryOwner) -> str:
    """Return why what was said could not be read, as the last job tells it; empty when it could."""
    job = _last_job(DISTILL_MEMORY.name, str(owner.pk))
    if job is None or job.state not in (JobState.QUEUED, JobState.FAILED):
        return ""
    return job.reason


def _last_job(name: str, key: str) -> BackgroundJob | None:
    return BackgroundJob.objects.filter(name=name, dedupe_key=key).order_by("-created_at").first()


def _key(owner: MemoryOwner) -> str:
    return f"memory-tidied:{owner.space_id}:{owner.pk}"
