"""What agents erase of a person and of a space: conversations, memory, schedules, suggestions."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.platform.erasure import (
    Counts,
    Subject,
    add_counts,
    register_beginning,
    register_eraser,
)
from agents.constants import OPEN_RUN_STATES, RunState
from agents.erasure_blobs import drop_unused_messages
from agents.models import (
    AgentRun,
    AgentSchedule,
    AnswerFeedback,
    Approval,
    Budget,
    Conversation,
    MemoryOwner,
    Message,
    SuggestionEvent,
    SuggestionSet,
    UnansweredQuestion,
)
from knowledge.models import EvidenceRow


@register_beginning("person")
def stop_runs_of_person(subject: Subject) -> None:
    """Take the person's runs away from their workers, which can write nothing from then on."""
    _stop(AgentRun.objects.filter(user_id=subject.id))


@register_beginning("space")
def stop_runs_of_space(subject: Subject) -> None:
    """Take the space's runs away from their workers."""
    _stop(AgentRun.objects.filter(space_id=subject.id))


# In the order of registration; they run the other way round: messages go when no run needs them.
@register_eraser("person", name="agents.messages")
@register_eraser("space", name="agents.messages")
@register_eraser("document", name="agents.messages")
def erase_messages(_: Subject) -> Counts:
    """Erase what was said to models, as far as no run refers to it any more."""
    return {"agents.MessageBlob": drop_unused_messages()}


@register_eraser("person", name="agents.person")
def erase_person(subject: Subject) -> Counts:
    """Erase all that is a person's own: conversations with runs and files, memory, schedules.

    What they spent stays in the figures without their name.
    """
    counts = _erase_conversations(Conversation.objects.filter(user_id=subject.id))
    memory = Q(user_id=subject.id) | Q(principal=f"user:{subject.id}")
    add_counts(counts, dict(MemoryOwner.objects.filter(memory).delete()[1]))
    counts |= {"agents.UnansweredQuestion": _erase_asked(int(subject.id))}
    for model in (SuggestionEvent, SuggestionSet, AgentSchedule, Budget, AnswerFeedback):
        rows = model._default_manager.filter(user_id=subject.id)
        add_counts(counts, dict(rows.delete()[1]))
    Approval.objects.filter(decided_by_id=int(subject.id)).update(comment="")
    return counts


def _erase_asked(user_id: int) -> int:
    """Erase what a person asked in vain; most of it went with their conversations."""
    return UnansweredQuestion.objects.filter(asker_id=user_id).delete()[0]


@register_eraser("space", name="agents.space")
def erase_space(subject: Subject) -> Counts:
    """Erase the conversations of a space; the rest goes with the row of the space."""
    return _erase_conversations(Conversation.objects.filter(space_id=subject.id))


def _erase_conversations(rows: QuerySet[Conversation]) -> dict[str, int]:
    """Erase conversations with everything that hangs on them, and the evidence of their answers."""
    answers = Message.objects.filter(conversation__in=rows.values("pk")).values("pk")
    counts: dict[str, int] = {}
    add_counts(counts, dict(EvidenceRow.objects.filter(origin_id__in=answers).delete()[1]))
    add_counts(counts, dict(rows.delete()[1]))
    return counts


def _stop(runs: QuerySet[AgentRun]) -> None:
    """End runs that are about to be deleted: a newer epoch, no events, no announcement."""
    runs.filter(state__in=OPEN_RUN_STATES).update(
        state=RunState.CANCELLED,
        outcome="stopped",
        cancel_requested=True,
        lease_epoch=F("lease_epoch") + 1,
        ended_at=timezone.now(),
    )
