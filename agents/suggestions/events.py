"""What people did with suggestions: shown, clicked, closed, asked anew. Each is stored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.access import Actor, visible
from agents.constants import SuggestionAction
from agents.models import Message, SuggestionEvent, SuggestionSet
from core.errors import Invalid

MOST_EVENTS = 50


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One event, as a page or a client reports it."""

    set_id: UUID
    action: str
    key: str = ""
    """The question's; empty when it is about the whole set."""


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """Where a question was taken from instead of being typed."""

    set_id: UUID
    key: str


def record_events(actor: Actor, happenings: Sequence[Happening]) -> int:
    """Store events about the actor's own sets; return how many were new. Others are left out.

    Raises:
        Invalid: too many at once, or an action that does not exist.
    """
    if len(happenings) > MOST_EVENTS:
        raise Invalid(f"At most {MOST_EVENTS} events at once.")
    if any(each.action not in SuggestionAction.values for each in happenings):
        raise Invalid(f"An event is one of: {', '.join(SuggestionAction.values)}.")
    ids = {each.set_id for each in happenings}
    rows = visible(actor, "view", SuggestionSet.objects.filter(pk__in=ids))
    sets = {row.pk: row for row in rows}
    return sum(
        _record(actor, sets[each.set_id], each) for each in happenings if each.set_id in sets
    )


def attribution_of(actor: Actor, taken: Attribution | None, *, text: str) -> SuggestionSet | None:
    """Return the set a question was taken from; None when the text was changed or is another's."""
    if taken is None:
        return None
    row = visible(actor, "view", SuggestionSet.objects.filter(pk=taken.set_id)).first()
    if row is None:
        return None
    texts = {each["key"]: each["text"] for each in row.questions}
    return row if texts.get(taken.key) == text.strip() else None


def record_click(actor: Actor, message: Message) -> None:
    """Store that a question was taken from suggestions; whoever sent it, this can't be lost."""
    if message.suggestion_set is not None:
        happening = Happening(
            set_id=message.suggestion_set.pk,
            action=SuggestionAction.CLICK,
            key=message.suggestion_key,
        )
        _record(actor, message.suggestion_set, happening)


def _record(actor: Actor, row: SuggestionSet, happening: Happening) -> bool:
    if actor.user_id is None:
        return False
    key = happening.key or f"g{row.generation}"
    if happening.key and happening.key not in {each["key"] for each in row.questions}:
        return False
    _, is_new = SuggestionEvent.objects.get_or_create(
        suggestion_set=row,
        user_id=actor.user_id,
        action=happening.action,
        question_key=key,
        defaults={"space_id": row.space_id},
    )
    return is_new
