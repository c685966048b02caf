"""What stands behind an answer for its own person: verdicts, memories, thumbs, questions to ask next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.template.loader import render_to_string
from django.urls import reverse

from accounts.access import Actor
from agents.constants import OPEN_RUN_STATES, SuggestionState
from agents.feedback.queries import answered_since, feedback_of
from agents.live.frames import Frame, frame
from agents.live.presentation import AgentTurn, UserTurn
from agents.memory.reading import RunMemories, memories_of_runs
from agents.models import AgentRun, MemoryItem
from agents.pages.feedback import answered_context, thumbs_context
from agents.pages.verdicts import marked_answer, verdicts_context
from agents.queries import get_run
from agents.suggestions.places import follow_ups_of, may_regenerate
from agents.suggestions.reading import Offered
from agents.verdicts.reading import verdicts_of_runs

Turns = list[UserTurn | AgentTurn]


def with_what_stands_behind(actor: Actor, runs: Sequence[AgentRun], turns: Turns) -> Turns:
    """Return the turns with verdicts, memories and thumbs at each answer, suggestions behind the last."""
    verdicts = {str(pk): each for pk, each in verdicts_of_runs(actor, runs).items()}
    memories = {str(pk): each for pk, each in memories_of_runs(actor, runs).items()}
    by_id = {str(run.pk): run for run in runs}
    thumbs, answered = feedback_of(actor, runs), answered_since(actor, runs)
    last = runs[-1] if runs else None
    completed: Turns = []
    for turn in turns:
        if isinstance(turn, AgentTurn):
            found = verdicts.get(turn.run_id, ())
            is_last = last is not None and turn.run_id == str(last.pk)
            run = by_id[turn.run_id]
            turn = replace(
                turn,
                answer_html=marked_answer(turn.run_id, turn.answer_html, found),
                verdicts=verdicts_context(turn.run_id, found),
                memories=memories_context(turn.run_id, memories.get(turn.run_id)),
                suggestions=follow_up_context(actor, last) if is_last and last else None,
                thumbs=thumbs_context(actor, run, thumbs.get(run.pk)),
                answered=answered_context(answered, run.pk),
            )
        completed.append(turn)
    return completed


def turn_with_what_stands_behind(actor: Actor, run: AgentRun, turn: AgentTurn) -> AgentTurn:
    """Return the one turn completed, for the frame that ends a run."""
    completed = with_what_stands_behind(actor, [run], [turn])[0]
    assert isinstance(completed, AgentTurn)
    return completed


def memories_context(run_id: str, found: RunMemories | None) -> dict[str, Any] | None:
    """Return the context of `chat/_memories.html`; None where memory did nothing."""
    if found is None or not (found.used or found.remembered or found.refusal):
        return None
    return {
        "run_id": run_id,
        "remembered": line_context(found.remembered) if found.remembered else None,
        "refusal": found.refusal,
        "used": [line_context(item) for item in found.used],
    }


def line_context(item: MemoryItem) -> dict[str, str]:
    """Return the context of one memory's line in the chat."""
    return {"id": str(item.pk), "text": item.text, "kind": str(item.get_kind_display())}


def follow_up_context(actor: Actor, run: AgentRun) -> dict[str, Any] | None:
    """Return the context of `chat/_suggestions.html`; None where nothing is offered."""
    if run.answer_id is None or run.state in OPEN_RUN_STATES or run.user_id != actor.user_id:
        return None
    return suggestions_context(run, follow_ups_of(actor, run))


def suggestions_context(run: AgentRun, offer: Offered | None) -> dict[str, Any] | None:
    """Return how an offer is shown; None for one that was left out or has nothing to show."""
    is_busy = offer is not None and offer.state == SuggestionState.GENERATING
    has_failed = offer is not None and offer.state == SuggestionState.FAILED
    if offer is None or not (offer.questions or is_busy or has_failed):
        return None
    return {
        "run_id": str(run.pk),
        "set_id": str(offer.set_id),
        "url": reverse("message_suggestions", args=[run.answer_id]),
        "is_busy": is_busy,
        "problem": offer.reason if has_failed else "",
        "questions": [] if is_busy else offer.questions,
        "may_regenerate": may_regenerate(run) and not is_busy,
    }


def suggestions_frame(actor: Actor, run_id: UUID) -> Frame:
    """Return the frame that shows the questions behind a run's answer.

    Raises:
        NotFound: the run is none of the actor's.
    """
    run = get_run(actor, run_id)
    context = {"run_id": str(run.pk), "suggestions": follow_up_context(actor, run)}
    html = render_to_string("chat/_suggestions.html", context)
    target = f"#run-{run.pk}-suggestions"
    return frame(str(run.pk), [{"op": "replace", "to": target, "html": html, "follow": False}])
