"""Deciding about a waiting call: once, by who may, for exactly the call that was shown.

Locks are taken in one order everywhere: the run's row, then the approval's. `record`, `take_lease`,
`suspend`, `stop_run` and `expire_due` keep it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from agents.approvals.applying import wake_when_decided
from agents.approvals.arguments import check_arguments
from agents.approvals.queries import get_approval
from agents.constants import OPEN_RUN_STATES, DecisionState
from agents.models import AgentRun, Approval
from agents.runs.publish import publish_decision
from agents.tracing.closed import is_closed
from core.errors import AccessDenied, Conflict, Gone, Invalid, ProjectError, Refused
from core.jsonvalues import storable_text

Choice = Literal["approved", "edited", "rejected"]
CHOICES: tuple[Choice, ...] = ("approved", "edited", "rejected")
MAX_COMMENT_CHARACTERS = 2000


@dataclass(frozen=True, kw_only=True)
class _Wish:
    """What a person wants to become of a call."""

    resolution: Choice
    decision_hash: str
    arguments: dict[str, Any] | None
    comment: str


def decide(
    actor: Actor,
    *,
    approval_id: UUID,
    decision_hash: str,
    resolution: str,
    arguments: dict[str, Any] | None = None,
    comment: str = "",
) -> Approval:
    """Decide about one call and return its row; the run goes on when nothing is left open.

    The same decision by the same person again returns the first one. What is refused is audited.

    Raises:
        NotFound: there is no such request, or the actor may not see it.
        AccessDenied: somebody else decides.
        Refused: the decision was made for another call.
        Conflict: somebody decided otherwise, or the run goes on no more.
        Gone: the time is over.
        Invalid: edited arguments do not fit the tool.
        AccessDenied: the call was written from sources that the actor may not read; they can only
            reject it.
    """
    found = get_approval(actor, approval_id)
    wish = _read_wish(resolution, decision_hash, arguments, comment)
    try:
        if wish.resolution != "rejected" and is_closed(actor, found.run_id):
            raise AccessDenied(_("It rests on a source that you may not read. Reject it, or wait."))
        with transaction.atomic():
            return _decide(actor, found, wish)
    except ProjectError as refusal:
        record_audit(
            actor,
            "approval.decide",
            target=found,
            outcome="refused",
            resolution=resolution,
            reason=refusal.code,
            call_id=found.call_id,
        )
        raise


@dataclass(frozen=True, kw_only=True)
class BatchOutcome:
    """What became of a decision about several calls."""

    decided: tuple[Approval, ...]
    problems: tuple[str, ...]
    """Why the others were not decided, for people."""


def decide_alike(
    actor: Actor, *, hashes: Sequence[tuple[UUID, str]], resolution: str, comment: str = ""
) -> BatchOutcome:
    """Decide alike about several calls of one tool that have no risks; each stands for itself.

    Raises:
        NotFound: one of them is none that the actor sees.
        Invalid: they are of several tools, have risks, or would be edited.
    """
    rows = [get_approval(actor, approval_id) for approval_id, _hash in hashes]
    if resolution not in ("approved", "rejected") or not rows:
        raise Invalid(_("Choose whether to approve or to reject the calls."))
    if len({row.tool_name for row in rows}) > 1 or any(row.risks for row in rows):
        raise Invalid(_("Only calls of one tool that have no risks can be decided together."))
    decided: list[Approval] = []
    problems: list[str] = []
    for approval_id, decision_hash in hashes:
        try:
            decided.append(
                decide(
                    actor,
                    approval_id=approval_id,
                    decision_hash=decision_hash,
                    resolution=resolution,
                    comment=comment,
                )
            )
        except ProjectError as refusal:
            problems.append(refusal.message)
    return BatchOutcome(decided=tuple(decided), problems=tuple(dict.fromkeys(problems)))


def _read_wish(
    resolution: str, decision_hash: str, arguments: dict[str, Any] | None, comment: str
) -> _Wish:
    for choice in CHOICES:
        if choice == resolution:
            return _Wish(
                resolution=choice,
                decision_hash=decision_hash,
                arguments=arguments if choice == "edited" else None,
                comment=storable_text(comment.strip())[:MAX_COMMENT_CHARACTERS],
            )
    raise Invalid(_("A call can be approved, edited or rejected."), field="resolution")


def _decide(actor: Actor, found: Approval, wish: _Wish) -> Approval:
    run = AgentRun.objects.select_for_update().get(pk=found.run_id)
    row = Approval.objects.select_for_update(of=("self",)).get(pk=found.pk)
    require(actor, "change", row)
    if row.decision_hash != wish.decision_hash:
        raise Refused(_("This decision was made for another call. Load the page again."))
    if row.decision != DecisionState.OPEN:
        return _first_outcome(actor, row, wish)
    _require_open(run, row)
    _write(actor, row, wish)
    wake_when_decided(run)
    record_audit(
        actor,
        "approval.decide",
        target=row,
        resolution=wish.resolution,
        tool=row.tool_name,
        call_id=row.call_id,
        run=str(run.pk),
    )
    approval_id, conversation_id = row.pk, run.conversation_id
    transaction.on_commit(lambda: publish_decision(conversation_id, run.pk, approval_id))
    return row


def _first_outcome(actor: Actor, row: Approval, wish: _Wish) -> Approval:
    """Return the row when the same person decides the same again, as a double click does."""
    edited = check_arguments(row.tool_name, wish.arguments or {}) if wish.arguments else None
    is_same = row.decision == wish.resolution and row.edited_arguments == edited
    if is_same and row.decided_by_id == actor.user_id:
        return row
    raise Conflict(describe_decision(row))


def describe_decision(row: Approval) -> str:
    """Return who decided what, as a sentence."""
    if row.decision == DecisionState.EXPIRED:
        return _("Nobody answered in time; the agent went on without it.")
    if row.decision == DecisionState.CANCELLED:
        return _("The run ended before anybody decided.")
    who = str(row.decided_by) if row.decided_by else _("A former member")
    words = {
        DecisionState.APPROVED: _("%(who)s approved this call already."),
        DecisionState.EDITED: _("%(who)s approved this call with changes already."),
        DecisionState.REJECTED: _("%(who)s rejected this call already."),
    }
    return words[DecisionState(row.decision)] % {"who": who}


def _require_open(run: AgentRun, row: Approval) -> None:
    if run.state not in OPEN_RUN_STATES:
        raise Conflict(_("The run is over; nothing waits for a decision any more."))
    if run.cancel_requested:
        raise Conflict(_("The run is being stopped; nothing waits for a decision any more."))
    if row.due_at <= timezone.now():
        raise Gone(_("The time for this decision is over; the agent goes on without it."))


def _write(actor: Actor, row: Approval, wish: _Wish) -> None:
    if actor.user_id is None:
        raise AccessDenied(_("Only a person decides about calls."))
    if wish.resolution == "edited":
        if wish.arguments is None:
            raise Invalid(_("Write the arguments with which the call should run."))
        row.edited_arguments = check_arguments(row.tool_name, wish.arguments)
    row.decision = DecisionState(wish.resolution)
    row.comment = wish.comment
    row.decided_by_id = actor.user_id
    row.decided_at = timezone.now()
    row.save(update_fields=["decision", "comment", "decided_by", "decided_at", "edited_arguments"])
