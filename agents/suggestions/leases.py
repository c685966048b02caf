"""Who makes a set: one worker at a time, and what it writes counts only while it holds the lease."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from agents.constants import SuggestionPlace, SuggestionState
from agents.models import AgentRun, SuggestionSet
from agents.suggestions.publish import publish_suggestions

LEASE = timedelta(minutes=3)


def take_lease(set_id: UUID) -> SuggestionSet | None:
    """Take a set that is to be made; None when it is made, or another worker has it."""
    now = timezone.now()
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    rows = SuggestionSet.objects.filter(free, pk=set_id, state=SuggestionState.GENERATING)
    if not rows.update(lease_until=now + LEASE):
        return None
    return SuggestionSet.objects.get(pk=set_id)


def finish(
    row: SuggestionSet,
    *,
    state: SuggestionState,
    reason: str = "",
    questions: Sequence[dict[str, object]] = (),
) -> bool:
    """Store what came out, if the set is still the generation that was begun and leased."""
    rows = SuggestionSet.objects.filter(
        pk=row.pk, generation=row.generation, lease_until=row.lease_until
    )
    return bool(
        rows.update(
            state=state,
            reason=reason[:300],
            questions=list(questions),
            lease_until=None,
            updated_at=timezone.now(),
        )
    )


def give_up(*, set_id: UUID, reason: str) -> None:
    """Say why a set was not made, when its job failed for good; starters keep what they have."""
    rows = SuggestionSet.objects.filter(pk=set_id, state=SuggestionState.GENERATING)
    row = rows.first()
    if row is None:
        return
    is_starters = row.place == SuggestionPlace.STARTERS
    state = SuggestionState.READY if is_starters else SuggestionState.FAILED
    rows.update(state=state, reason=reason[:300], lease_until=None)
    run = AgentRun.objects.filter(answer_id=row.message_id).first() if row.message_id else None
    if run is not None:
        publish_suggestions(run.conversation_id, run.pk)
