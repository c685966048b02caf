"""Begins follow-up questions when a run is over."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.dispatch import receiver

from accounts.actors import find_actor
from agents.models import AgentRun
from agents.signals import run_finished
from agents.suggestions.follow_ups import begin_follow_ups, config_of


@receiver(run_finished)
def suggest_next(run: AgentRun, **_: Any) -> None:
    """Begin the set behind the answer; it is there before the answer's end is told.

    A worker does not know the language of the page. The questions follow the conversation's own
    language, and a page that finds none in its language takes these.
    """
    if run.conversation.is_internal or config_of(run) is None:
        return
    actor = find_actor(run.user, space_id=run.space_id) if run.user else None
    if actor is None:  # they left while the answer was made, or a key asked
        return
    begin_follow_ups(actor, run, locale=settings.LANGUAGE_CODE)
