"""The jobs of this app: ids in, one service, failures told where people look."""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.feedback.gathering import gather
from agents.jobs import (
    CHECK_SENTENCES,
    CONSOLIDATE_MEMORY,
    DISTILL_MEMORY,
    EMBED_MEMORY,
    FOLD_RUN,
    GATHER_UNANSWERED,
    RUN_AGENT,
    SUGGEST_FOLLOW_UPS,
    SUGGEST_STARTERS,
)
from agents.memory.distill import distill
from agents.memory.tidying import tidy
from agents.memory.vectors import embed_items
from agents.models import AgentRun, MemoryOwner
from agents.runs.fold import fold_answer
from agents.runs.runner import run_agent
from agents.runs.store import finish_unstarted
from agents.suggestions.follow_ups import make_follow_ups
from agents.suggestions.leases import give_up
from agents.suggestions.starters import make_starters
from agents.verdicts.checking import check_sentences
from core.errors import ProjectError
from core.jobs.handlers import JobContext, RetryJob, handles
from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)


def _run_failed(arguments: dict[str, Any], reason: str) -> None:
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().filter(pk=arguments["run_id"]).first()
        if run is not None:
            finish_unstarted(run, outcome="failed", reason="internal_error", detail=reason)


@handles(RUN_AGENT, on_failure=_run_failed)
def run(context: JobContext, *, run_id: str) -> None:
    """Make, or go on with, an answer."""
    run_agent(context, run_id=UUID(run_id))


@handles(FOLD_RUN)
def fold(_: JobContext, *, run_id: str) -> None:
    """Fold a finished answer's deltas into one row."""
    fold_answer(UUID(run_id))


@handles(DISTILL_MEMORY)
def distill_memory(context: JobContext, *, owner_id: int) -> None:
    """Read what a person said lately; the memory page tells why it failed."""
    distill(context, owner_id=owner_id)


@handles(CONSOLIDATE_MEMORY)
def consolidate_memory(context: JobContext, *, owner_id: int, on_demand: bool) -> None:
    """Tidy a person's memory; the memory page tells what came of it."""
    tidy(context, owner_id=owner_id, on_demand=on_demand)


@handles(EMBED_MEMORY)
def embed_memory(_: JobContext, *, owner_id: int) -> None:
    """Make vectors of what has none; without them recall goes by words."""
    owner = MemoryOwner.objects.filter(pk=owner_id).first()
    if owner is None:
        return
    try:
        embed_items(owner)
    except ModelError as failure:
        raise RetryJob(failure.message, delay_seconds=60.0) from failure
    except ProjectError as refusal:
        logger.info("Memories have no vectors: %s", refusal.message)


def _suggestions_failed(arguments: dict[str, Any], reason: str) -> None:
    give_up(set_id=UUID(arguments["set_id"]), reason=reason)


@handles(SUGGEST_FOLLOW_UPS, on_failure=_suggestions_failed)
def suggest_follow_ups(context: JobContext, *, set_id: str) -> None:
    """Make the questions behind an answer."""
    make_follow_ups(context, set_id=UUID(set_id))


@handles(SUGGEST_STARTERS, on_failure=_suggestions_failed)
def suggest_starters(context: JobContext, *, set_id: str) -> None:
    """Let a model write the questions of an empty conversation."""
    make_starters(context, set_id=UUID(set_id))


@handles(CHECK_SENTENCES)
def check_answer(context: JobContext, *, run_id: str) -> None:
    """Hold the sentences of an answer against their sources."""
    check_sentences(context, run_id=UUID(run_id))


@handles(GATHER_UNANSWERED)
def gather_unanswered(_: JobContext, *, run_id: str) -> None:
    """Take down a question to which nothing was found."""
    gather(UUID(run_id))
