"""Questions for an empty conversation: at once what is at hand, better ones when a job wrote them."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.access import Actor
from accounts.actors import actor_of
from agents.configuration import Starters
from agents.constants import SuggestionPlace, SuggestionState
from agents.jobs import SUGGEST_STARTERS
from agents.models import Agent, SuggestionSet
from agents.runs.scope import bases_of
from agents.suggestions.generation import write_starters
from agents.suggestions.knowledge import headings_of, questions_of_bases
from agents.suggestions.leases import finish, take_lease
from agents.suggestions.reading import Offered, locale_now, offered
from agents.suggestions.values import Suggestion, curated, distinct, from_rows, hash_of, to_rows
from agents.writing import Payer, writing_model
from core.errors import ProjectError
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext
from providers.contracts.errors import ModelError

FRESH = timedelta(days=1)
"""After that what documents say is looked at again."""


def starters_of(actor: Actor, agent: Agent) -> Offered | None:
    """Return the starters of an agent for the actor; None when it offers none.

    It never waits for a model: questions that a model writes are there the next time.
    """
    config = agent.settings.question_suggestions.starters
    if not config.enabled or actor.user_id is None:
        return None
    bases = [base.pk for base in bases_of(actor, agent, [])]
    locale = locale_now()
    row, is_new = SuggestionSet.objects.get_or_create(
        agent=agent,
        user_id=actor.user_id,
        message=None,
        place=SuggestionPlace.STARTERS,
        config_hash=hash_of(config, *sorted(map(str, bases))),
        locale=locale,
        defaults={"space_id": actor.space_id},
    )
    if is_new or row.updated_at < timezone.now() - FRESH:
        _refresh(actor, row, config, bases, is_new=is_new)
    shown = offered(actor, row)
    return shown if shown.questions else None


def make_starters(context: JobContext, *, set_id: UUID) -> None:
    """Let a model write a set's starters; what was there stays when it fails."""
    row = take_lease(set_id)
    if row is None or row.agent is None or row.user is None:
        return
    agent, config = row.agent, row.agent.settings.question_suggestions.starters
    actor = actor_of(row.user, space_id=row.space_id)
    kept = from_rows(row.questions)
    try:
        written = _generated(actor, agent, config, locale=row.locale)
        problem = ""
    except (ModelError, ProjectError) as failure:
        written, problem = [], failure.message
    context.check()
    first = [each for each in kept if each.source == "curated"]
    rest = [each for each in kept if each.source == "knowledge"]
    questions = distinct([*first, *written, *rest], most=config.count)
    rows = to_rows(questions, generation=row.generation)
    finish(row, state=SuggestionState.READY, reason=problem, questions=rows)


def _refresh(
    actor: Actor, row: SuggestionSet, config: Starters, bases: list[UUID], *, is_new: bool
) -> None:
    """Put the questions at hand into the set, and let a model write where the mode says so."""
    found: list[Suggestion] = []
    if config.mode in ("curated", "hybrid"):
        found += curated(config.items)
    if config.mode in ("knowledge", "hybrid"):
        found += questions_of_bases(actor, bases, most=config.count)
    generation = row.generation if is_new else row.generation + 1
    row.generation = generation
    row.questions = to_rows(distinct(found, most=config.count), generation=generation)
    row.lease_until = None
    writes = config.mode in ("generated", "hybrid") and _can_write(row.space_id)
    row.state = SuggestionState.GENERATING if writes else SuggestionState.READY
    with transaction.atomic():
        row.save()
        if writes:
            enqueue(SUGGEST_STARTERS, dedupe_key=str(row.pk), set_id=str(row.pk))


def _can_write(space_id: int) -> bool:
    try:
        writing_model(space_id)
    except ProjectError:
        return False
    return True


def _generated(actor: Actor, agent: Agent, config: Starters, *, locale: str) -> list[Suggestion]:
    bases = [base.pk for base in bases_of(actor, agent, [])]
    samples = questions_of_bases(actor, bases, most=50)
    document_ids = tuple(dict.fromkeys(each for one in samples for each in one.document_ids))
    payer = Payer(
        space_id=agent.space_id, user_id=actor.user_id, purpose="suggestions", agent_id=agent.pk
    )
    return write_starters(
        writing_model(agent.space_id, agent.chat_model),
        payer,
        about=f"{agent.name}. {agent.description}",
        headings=headings_of(actor, [UUID(each) for each in document_ids]),
        count=config.count,
        language=locale,
        document_ids=document_ids,
    )
