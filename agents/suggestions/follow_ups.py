"""Follow-up questions: begun when an answer is done, made once by one worker, shown when ready."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.configuration import FollowUps
from agents.constants import SuggestionPlace, SuggestionState
from agents.jobs import SUGGEST_FOLLOW_UPS
from agents.models import AgentRun, SuggestionSet
from agents.runs.asker import asker_of
from agents.suggestions.generation import Turn, write_follow_ups
from agents.suggestions.knowledge import headings_of, questions_near
from agents.suggestions.leases import finish, take_lease
from agents.suggestions.publish import publish_suggestions
from agents.suggestions.reading import follow_up_set
from agents.suggestions.rules import suppression_of
from agents.suggestions.values import Suggestion, curated, distinct, hash_of, to_rows
from agents.tracing.closed import closed_runs, documents_read
from agents.writing import Payer, writing_model
from core.errors import AccessDenied, ProjectError
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext
from knowledge.evidence import Evidence, read_evidence_of
from providers.contracts.errors import ModelError
from providers.models import AIModel

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Material:
    """What follow-ups may be made from: what the person may see, and nothing else."""

    turns: tuple[Turn, ...]
    """Oldest first; the last one is the answer's."""
    document_ids: tuple[UUID, ...]
    read_ids: tuple[UUID, ...]
    """All that the model had read before it wrote those answers."""
    known_headings: tuple[str, ...]


def config_of(run: AgentRun) -> FollowUps | None:
    """Return the follow-ups' configuration in force; None when the run has no place for them."""
    if run.agent is None or run.answer_id is None or run.parent_id is not None:
        return None
    config = run.agent.settings.question_suggestions.follow_ups
    return config if config.enabled else None


def hash_for(run: AgentRun, config: FollowUps) -> str:
    """Return the hash by which a set belongs to the configuration in force."""
    agent = run.agent
    return hash_of(config, agent.pk if agent else "", agent.chat_model_id if agent else "")


def find_follow_ups(actor: Actor, run: AgentRun, *, locale: str) -> SuggestionSet | None:
    """Return the actor's set behind the run's answer; None when there is none."""
    config = config_of(run)
    if config is None or run.answer_id is None:
        return None
    return follow_up_set(actor, run.answer_id, config_hash=hash_for(run, config), locale=locale)


def begin_follow_ups(
    actor: Actor, run: AgentRun, *, locale: str, again: bool = False
) -> SuggestionSet | None:
    """Return the set behind the run's answer, begun when there is none; None where none belong.

    Calling it twice begins one set. With `again` the questions are made anew.

    Raises:
        AccessDenied: the agent does not let people ask for new ones.
    """
    config = config_of(run)
    if config is None or run.answer_id is None or run.user_id != actor.user_id:
        return None
    if again and not config.allow_regenerate:
        raise AccessDenied(_("This agent offers no further questions."))
    with transaction.atomic():
        row, is_new = SuggestionSet.objects.select_for_update().get_or_create(
            message_id=run.answer_id,
            place=SuggestionPlace.FOLLOW_UPS,
            config_hash=hash_for(run, config),
            locale=locale,
            defaults={"space_id": run.space_id, "agent": run.agent, "user_id": run.user_id},
        )
        if is_new:
            row.reason = suppression_of(run, config)
            row.state = SuggestionState.SUPPRESSED if row.reason else SuggestionState.GENERATING
            row.save()
        elif again and row.state != SuggestionState.GENERATING:
            row.state, row.reason, row.lease_until = SuggestionState.GENERATING, "", None
            row.generation += 1
            row.save()
        if row.state == SuggestionState.GENERATING:
            enqueue(SUGGEST_FOLLOW_UPS, dedupe_key=str(row.pk), set_id=str(row.pk))
    return row


def make_follow_ups(context: JobContext, *, set_id: UUID) -> None:
    """Make a set's questions, unless another worker does, and tell the open windows."""
    row = take_lease(set_id)
    if row is None or row.message_id is None:
        return
    run = AgentRun.objects.select_related("agent", "question", "answer", "user").get(
        answer_id=row.message_id
    )
    config = config_of(run)
    if config is None:
        finish(row, state=SuggestionState.SUPPRESSED, reason="The agent offers none any more.")
        return
    try:
        questions, problem = _questions(asker_of(run), run, config)
    except ProjectError as refusal:
        questions, problem = [], refusal.message
    context.check()
    if questions:
        rows = to_rows(questions, generation=row.generation)
        finish(row, state=SuggestionState.READY, questions=rows)
    else:
        reason = problem or "Nothing came to mind."
        state = SuggestionState.FAILED if problem else SuggestionState.SUPPRESSED
        finish(row, state=state, reason=reason)
    publish_suggestions(run.conversation_id, run.pk)


def _questions(actor: Actor, run: AgentRun, config: FollowUps) -> tuple[list[Suggestion], str]:
    """Return the questions by the agent's mode, and what went wrong on the way."""
    material = material_of(actor, run, turns=config.max_context_turns)
    problem = ""
    found: list[Suggestion] = []
    if config.mode in ("curated", "hybrid"):
        found += curated(config.items)
    if config.mode in ("generated", "hybrid"):
        try:
            found += _generated(actor, run, config, material)
        except (ModelError, ProjectError) as failure:
            problem = failure.message
            logger.warning("No follow-ups were written for run %s: %s", run.pk, problem)
    if config.mode in ("knowledge", "hybrid") or (problem and config.knowledge_fallback):
        known = material.known_headings
        found += questions_near(actor, material.document_ids, known=known, most=config.count)
    asked = [question for question, _answer in material.turns]
    return distinct(found, most=config.count, asked=asked), problem


def _generated(
    actor: Actor, run: AgentRun, config: FollowUps, material: Material
) -> list[Suggestion]:
    chosen = AIModel.objects.filter(pk=config.model_id).first() if config.model_id else None
    own = chosen or (run.agent.chat_model if run.agent else None)
    payer = Payer(
        space_id=run.space_id,
        user_id=run.user_id,
        purpose="suggestions",
        agent_id=run.agent_id,
    )
    return write_follow_ups(
        writing_model(run.space_id, own),
        payer,
        turns=material.turns,
        headings=headings_of(actor, material.document_ids),
        count=config.count,
        categories=config.categories,
        wishes=config.additional_instruction,
        document_ids=tuple(str(each) for each in material.read_ids),
    )


def material_of(actor: Actor, run: AgentRun, *, turns: int) -> Material:
    """Collect the newest turns up to the run's; those with a source that is hidden now stay out."""
    before = AgentRun.objects.filter(
        conversation_id=run.conversation_id,
        question__position__lte=run.question.position,
        answer__isnull=False,
    )
    rows = list(before.select_related("question", "answer").order_by("-question__position")[:turns])
    evidence = read_evidence_of(actor, origin_ids=[row.answer_id for row in rows if row.answer_id])
    closed = closed_runs(actor, [row.pk for row in rows])
    open_rows = [
        row
        for row in reversed(rows)
        if row.pk not in closed and not _hides(evidence.get(row.answer_id or row.pk, []))
    ]
    read = documents_read([row.pk for row in open_rows])
    shown: list[Evidence] = [
        each for row in open_rows for each in evidence.get(row.answer_id or row.pk, [])
    ]
    return Material(
        turns=tuple(
            (row.question.text, row.answer.text) for row in open_rows if row.answer is not None
        ),
        document_ids=tuple(
            dict.fromkeys(each.document_id for each in shown if each.document_id is not None)
        ),
        read_ids=tuple(sorted({each for found in read.values() for each in found})),
        known_headings=tuple(each.heading_path[-1] for each in shown if each.heading_path),
    )


def _hides(evidence: Sequence[Evidence]) -> bool:
    return any(each.source_state == "hidden" for each in evidence)
