"""Use cases of evaluations: start one, stop it, name it, delete it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from core.jobs.enqueue import cancel_job, enqueue
from knowledge.base_settings import RetrievalOptions, base_settings_of
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState
from knowledge.evaluation.jobs import EVALUATE
from knowledge.evaluation.kinds import Kind, Subject, kind_named
from knowledge.evaluation.queries import confirmed_of, get_run
from knowledge.evaluation.summary import summarise
from knowledge.models import EvaluationResult, EvaluationRun, KnowledgeBase
from knowledge.queries import get_base
from knowledge.text.analyze import ANALYZER_VERSION

DEFAULT_K = 10
MOST_K = 50
MOST_OPEN = 4
"""Evaluations of one base at a time; a gate takes two."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be evaluated."""

    kind: str = "retrieval"
    subject_id: UUID | None = None
    label: str = ""
    k: int = DEFAULT_K
    retrieval: RetrievalOptions | None = None
    """How the base is searched; None: as it is set now."""
    baseline_id: UUID | None = None
    proposed: dict[str, Any] = field(default_factory=dict)


def start_run(actor: Actor, *, base_id: UUID, plan: Plan) -> EvaluationRun:
    """Begin an evaluation with all confirmed golden questions that the actor sees.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: there is nothing to ask, or the plan cannot be carried out.
        Conflict: too many evaluations of the base are running.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    kind = kind_named(plan.kind)
    if actor.user_id is None or actor.is_guest:
        raise Invalid(_("Only members of the space start evaluations: they run with their rights."))
    subject = _subject_of(actor, base, kind, plan.subject_id)
    golden = [
        row for row in confirmed_of(actor, base.pk) if row.expected or not kind.needs_expected
    ]
    if not golden:
        raise Invalid(_("There is no confirmed golden question yet. Confirm some first."))
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        running = EvaluationRun.objects.filter(base=base, state__in=OPEN_EVALUATIONS)
        if running.count() >= MOST_OPEN:
            raise Conflict(_("Other evaluations are running; wait for them, or stop one."))
        run = EvaluationRun.objects.create(
            space_id=base.space_id,
            base=base,
            kind=kind.name,
            label=" ".join(plan.label.replace("\x00", " ").split())[:200],
            options=_options(base, plan),
            subject_id=subject.id if subject else None,
            snapshot=dict(subject.snapshot) | {"name": subject.name} if subject else {},
            k=min(max(1, plan.k), MOST_K),
            total=len(golden),
            baseline_id=plan.baseline_id,
            proposed=plan.proposed,
            author_id=actor.user_id,
        )
        EvaluationResult.objects.bulk_create(
            EvaluationResult(
                space_id=base.space_id,
                run=run,
                golden=row,
                position=position,
                question=row.question,
                reference=row.answer,
                expected=row.expected,
            )
            for position, row in enumerate(golden)
        )
        begin_job(run)
        record_audit(
            actor,
            "evaluation.start",
            target=base,
            base_id=base.pk,
            kind=kind.name,
            questions=len(golden),
        )
    return run


def stop_run(actor: Actor, *, run_id: UUID) -> EvaluationRun:
    """Stop an evaluation; what is answered until now stays.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is over.
    """
    found = get_run(actor, run_id)
    require(actor, "change", found)
    with transaction.atomic():
        run = EvaluationRun.objects.select_for_update().get(pk=found.pk)
        if run.state not in OPEN_EVALUATIONS:
            raise Conflict(_("The evaluation is over already."))
        if run.job_id is not None:
            cancel_job(run.job_id)
        end_run(run, state=EvaluationState.CANCELLED)
        record_audit(
            actor, "evaluation.stop", target=found.base, base_id=run.base_id, done=run.done
        )
    stop = kind_named(run.kind).stop
    if stop is not None:
        begun = EvaluationResult.objects.filter(
            run=run, ended_at__isnull=True, source_id__isnull=False
        )
        for row in begun:
            stop(row)
    return run


def continue_run(actor: Actor, *, run_id: UUID) -> EvaluationRun:
    """Go on with an evaluation that was stopped or failed, behind its last answered question.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is running or done, or somebody else began it.
    """
    found = get_run(actor, run_id)
    require(actor, "change", found)
    with transaction.atomic():
        run = EvaluationRun.objects.select_for_update().get(pk=found.pk)
        if run.state not in (EvaluationState.CANCELLED, EvaluationState.FAILED):
            raise Conflict(_("Only an evaluation that was stopped or failed can be continued."))
        if run.author_id != actor.user_id:
            raise Conflict(
                _("Only who began an evaluation continues it: it runs with their rights.")
            )
        run.state, run.reason, run.ended_at = EvaluationState.QUEUED, "", None
        begin_job(run)
    return run


def delete_run(actor: Actor, *, run_id: UUID) -> None:
    """Delete an evaluation with its results.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is running.
    """
    run = get_run(actor, run_id)
    require(actor, "delete", run)
    if run.state in OPEN_EVALUATIONS:
        raise Conflict(_("Stop the evaluation first."))
    with transaction.atomic():
        record_audit(
            actor, "evaluation.delete", target=run.base, base_id=run.base_id, kind=run.kind
        )
        run.delete()


def begin_job(run: EvaluationRun) -> None:
    """Enqueue the job of a run, in the caller's transaction."""
    run.job_id = enqueue(EVALUATE, run_id=str(run.pk))
    run.save()


def end_run(run: EvaluationRun, *, state: EvaluationState, reason: str = "") -> None:
    """Write that a run is over, with the figures of what was answered."""
    answered = EvaluationResult.objects.filter(run=run, ended_at__isnull=False)
    run.metrics = summarise(answered)
    run.state, run.reason, run.ended_at = state, reason, timezone.now()
    run.save(update_fields=["metrics", "state", "reason", "ended_at"])


def _subject_of(
    actor: Actor, base: KnowledgeBase, kind: Kind, subject_id: UUID | None
) -> Subject | None:
    if kind.subjects is None:
        return None
    for subject in kind.subjects(actor, base):
        if subject.id == subject_id:
            return subject
    raise NotFound(_("Choose who is to be asked."))


def _options(base: KnowledgeBase, plan: Plan) -> dict[str, Any]:
    """Return the settings that matter for the figures, as they are now."""
    settings = base_settings_of(base)
    retrieval = plan.retrieval or settings.retrieval
    return {
        "retrieval": retrieval.model_dump(mode="json"),
        "split": settings.split.model_dump(mode="json"),
        "embedding": base.embedding_identity,
        "analyzer": ANALYZER_VERSION,
    }
