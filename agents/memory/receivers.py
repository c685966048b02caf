"""What memory does when a run is over, and when somebody leaves a space."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from accounts.actors import find_actor
from accounts.signals import membership_ended
from agents.memory.background import distill_soon, tidy_daily
from agents.memory.familiar import count_citations
from agents.memory.owners import own_memory
from agents.memory.sources import link_sources
from agents.memory.switches import is_on_in_space, memory_of
from agents.memory.traces import erase_from_run
from agents.models import AgentRun, MemoryOwner
from agents.signals import run_finished
from agents.writing import no_model_reason
from core.tenancy import space_scope


@receiver(run_finished)
def follow_run(run: AgentRun, **_: Any) -> None:
    """Erase what was recalled, note the sources of the answer, and let the conversation be read later.

    The citations are counted here rather than in a job: a job may run twice, this runs at most once.
    """
    erase_from_run(run)
    if run.parent_id is not None or run.conversation.is_internal or run.agent is None:
        return
    if not is_on_in_space():
        return
    actor = find_actor(run.user, space_id=run.space_id) if run.user else None
    if actor is None:  # they left while the answer was made, or a key asked
        return
    access = memory_of(actor, run.agent.settings)
    if not access.is_on or access.settings is None:
        return
    owner = own_memory(actor, reads_from=run.question.created_at)
    link_sources(run.question)
    count_citations(owner, run)
    tidy_daily(owner)
    if access.learns and not no_model_reason(run.space_id):
        distill_soon(owner, access.settings)


@receiver(membership_ended)
def forget_member(space_id: int, user_id: int, **_: Any) -> None:
    """Erase what the space remembers of somebody who is no longer in it."""
    with space_scope(space_id):
        MemoryOwner.objects.filter(principal=f"user:{user_id}").delete()
