"""The gate: how a base would be searched by other settings, shown before they hold.

Where a base has confirmed golden questions, a change of how it is searched is first tried on them:
two evaluations, one as it is set now and one as proposed. A person looks at what gets better and
worse, then confirms or discards it; who cannot wait says why, and that is audited.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from knowledge.base_settings import BaseSettings
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState
from knowledge.evaluation.queries import get_run
from knowledge.evaluation.runs import Plan, start_run, stop_run
from knowledge.models import EvaluationRun, KnowledgeBase
from knowledge.queries import get_base
from knowledge.services.bases import update_base

SHORTEST_REASON = 5
"""Characters."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What somebody wants a base to be."""

    name: str
    description: str
    settings: BaseSettings


def open_gate(actor: Actor, *, base_id: UUID, proposal: Proposal) -> EvaluationRun:
    """Try proposed settings beside the live ones; returns the evaluation of the proposed.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid, Conflict: see `start_run`.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    with transaction.atomic():
        label = _("As it is set now")
        live = start_run(actor, base_id=base.pk, plan=Plan(label=label))
        return start_run(
            actor,
            base_id=base.pk,
            plan=Plan(
                label=_("As proposed"),
                retrieval=proposal.settings.retrieval,
                baseline_id=live.pk,
                proposed={
                    "name": proposal.name,
                    "description": proposal.description,
                    "settings": proposal.settings.model_dump(mode="json"),
                    "before": dict(base.options),
                },
            ),
        )


def confirm_gate(actor: Actor, *, run_id: UUID, reason: str = "") -> KnowledgeBase:
    """Make proposed settings hold; before both evaluations are done a reason must be given.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid: the evaluations are not done and no reason is given.
        Conflict: it was decided already, or the settings changed meanwhile.
    """
    run = get_run(actor, run_id)
    require(actor, "change", run.base)
    why = " ".join(reason.split())[:500]
    if not is_ready(run) and len(why) < SHORTEST_REASON:
        raise Invalid(_("Say why this cannot wait for the evaluation."), field="reason")
    with transaction.atomic():
        locked = EvaluationRun.objects.select_for_update().get(pk=run.pk)
        proposal = _proposal_of(locked)
        base = KnowledgeBase.objects.select_for_update().get(pk=run.base_id)
        if base.options != locked.proposed["before"]:
            raise Conflict(
                _("The settings were changed meanwhile. Discard this, and propose it again.")
            )
        base = update_base(
            actor,
            base_id=base.pk,
            name=proposal.name,
            description=proposal.description,
            settings=proposal.settings,
            gate_passed=True,
        )
        _close(locked)
        record_audit(
            actor,
            "evaluation.gate_bypass" if why and not is_ready(run) else "evaluation.gate_confirm",
            target=base,
            base_id=base.pk,
            evaluation=str(run.pk),
            reason=why,
        )
    _stop_rest(actor, run)
    return base


def discard_gate(actor: Actor, *, run_id: UUID) -> EvaluationRun:
    """Leave the settings as they are; the evaluations stay in the history.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Conflict: it was decided already.
    """
    run = get_run(actor, run_id)
    require(actor, "change", run.base)
    with transaction.atomic():
        locked = EvaluationRun.objects.select_for_update().get(pk=run.pk)
        _proposal_of(locked)
        _close(locked)
        record_audit(
            actor,
            "evaluation.gate_discard",
            target=run.base,
            base_id=run.base_id,
            evaluation=str(run.pk),
        )
    _stop_rest(actor, run)
    return run


def is_ready(run: EvaluationRun) -> bool:
    """Say whether both evaluations of a gate are done."""
    return (
        run.state == EvaluationState.DONE
        and run.baseline is not None
        and run.baseline.state == EvaluationState.DONE
    )


def _proposal_of(run: EvaluationRun) -> Proposal:
    if not run.proposed:
        raise Conflict(_("This was decided already."))
    return Proposal(
        name=run.proposed["name"],
        description=run.proposed["description"],
        settings=BaseSettings.model_validate(run.proposed["settings"]),
    )


def _close(run: EvaluationRun) -> None:
    run.proposed = {}
    run.save(update_fields=["proposed"])


def _stop_rest(actor: Actor, run: EvaluationRun) -> None:
    """Stop evaluations that nobody waits for any more."""
    for each in (run, run.baseline):
        if each is not None and each.state in OPEN_EVALUATIONS:
            stop_run(actor, run_id=each.pk)
