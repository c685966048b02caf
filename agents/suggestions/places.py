"""Suggestions behind one answer: read, begun, made anew. Pages and the API call the same."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.constants import SuggestionAction
from agents.models import AgentRun
from agents.suggestions.events import Happening, record_events
from agents.suggestions.follow_ups import begin_follow_ups, config_of, find_follow_ups
from agents.suggestions.reading import Offered, is_dismissed, locale_now, offered
from core.errors import NotFound


def get_follow_ups(actor: Actor, *, message_id: UUID) -> Offered | None:
    """Return what is offered behind an answer; None where nothing is, or it was closed.

    Raises:
        NotFound: the answer is none of the actor's.
    """
    return follow_ups_of(actor, run_of_answer(actor, message_id))


def generate_follow_ups(actor: Actor, *, message_id: UUID, again: bool = False) -> Offered | None:
    """Begin the questions behind an answer; calling it twice begins them once.

    Raises:
        NotFound: the answer is none of the actor's.
        AccessDenied: new ones were asked for, which the agent does not allow.
    """
    run = run_of_answer(actor, message_id)
    there = find_follow_ups(actor, run, locale=locale_now())
    # Those in another language are as good: they follow the conversation's.
    locale = there.locale if there is not None else locale_now()
    row = begin_follow_ups(actor, run, locale=locale, again=again)
    if row is None:
        return None
    if there is not None and row.generation > there.generation:
        record_events(actor, [Happening(set_id=row.pk, action=SuggestionAction.REGENERATE)])
    return offered(actor, row)


def follow_ups_of(actor: Actor, run: AgentRun) -> Offered | None:
    """Return what is offered behind the run's answer; None where nothing is, or it was closed."""
    row = find_follow_ups(actor, run, locale=locale_now())
    if row is None or is_dismissed(row):
        return None
    return offered(actor, row)


def may_regenerate(run: AgentRun) -> bool:
    """Say whether people may ask for other questions."""
    config = config_of(run)
    return config is not None and config.allow_regenerate


def run_of_answer(actor: Actor, message_id: UUID) -> AgentRun:
    """Return the run whose answer the message is.

    Raises:
        NotFound: there is none, or it belongs to somebody else's conversation.
    """
    rows = AgentRun.objects.filter(answer_id=message_id)
    related = ("agent", "answer", "question", "conversation")
    run = visible(actor, "view", rows.select_related(*related)).first()
    if run is None or run.user_id != actor.user_id:
        raise NotFound(_("There is no such answer."))
    return run
