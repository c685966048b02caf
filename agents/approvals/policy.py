"""The engine's approval policy for one run: permission, then the agent's rules, then risks.

Asked for every call, and again when an approved call is about to run: what was allowed yesterday is
asked anew of the rows of today.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from agents.approvals.risks import find_risks
from agents.approvals.rules import evaluate_rules
from agents.approvals.spaces import SpaceRules, space_rules
from agents.configuration import AgentConfig
from agents.engine.toolsets import CallInfo, Verdict
from agents.models import Agent, AgentRun
from agents.runs.asker import renewed
from agents.sharing.received import find_shared_agent
from agents.tools.deps import RunDeps
from core.aio import in_db
from core.errors import ProjectError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RunApprovalPolicy:
    """The engine's `ApprovalPolicy` of a run."""

    actor: Actor
    """With whose rights the run works, as they were when the worker took it."""
    run_id: UUID
    agent_id: UUID
    config: AgentConfig
    shared_by: int | None = None
    """The space whose agent it is, where that is not the person's."""

    async def decide(self, call: CallInfo) -> Verdict:
        """Return whether the call runs, waits for a person, or is refused."""
        return await in_db(self._decide, call)

    def _decide(self, call: CallInfo) -> Verdict:
        refusal = self._refusal()
        if refusal:
            self._write_down(call, refusal)
            return Verdict(decision="deny", reason=refusal)
        verdict = verdict_of(call, config=self.config, rules=space_rules())
        return verdict if self.shared_by is None else of_shared_agent(call, verdict)

    def _refusal(self) -> str:
        """Return why the person may not make this call now; empty when they may."""
        try:
            actor = renewed(self.actor)
            if self.shared_by is not None:
                find_shared_agent(actor, self.agent_id)
                return ""
            agent = Agent.objects.get(pk=self.agent_id)
            require(actor, "use", agent)
        except Agent.DoesNotExist:
            return _("The person or the agent is gone.")
        except ProjectError as error:
            return error.message
        return "" if agent.is_enabled else _("The agent was turned off.")

    def _write_down(self, call: CallInfo, refusal: str) -> None:
        logger.warning("Call %s of run %s is refused: %s", call.call_id, self.run_id, refusal)
        run = AgentRun.objects.filter(pk=self.run_id).first()
        record_audit(
            self.actor,
            "approval.execute",
            target=run,
            outcome="refused",
            tool=call.name,
            call_id=call.call_id,
            reason=refusal,
        )


def policy_of(deps: RunDeps) -> RunApprovalPolicy:
    """Return the policy of the run that these dependencies belong to."""
    return RunApprovalPolicy(
        actor=deps.actor,
        run_id=deps.run_id,
        agent_id=deps.agent_id,
        config=deps.config,
        shared_by=deps.shared_by,
    )


def of_shared_agent(call: CallInfo, verdict: Verdict) -> Verdict:
    """Return what holds for an agent of another space: what leaves traces is asked for each time.

    Its own rules were written for its own people.
    """
    if verdict.decision != "auto" or call.side_effects == "none":
        return verdict
    return Verdict(
        decision="ask",
        reason=_(
            "The agent belongs to another space; it must ask before it changes anything here."
        ),
        timeout_seconds=float(space_rules().timeout_seconds),
    )


def verdict_of(call: CallInfo, *, config: AgentConfig, rules: SpaceRules) -> Verdict:
    """Return what rules and risks say about a call whose person may make it."""
    ruled = evaluate_rules(
        config.approvals,
        name=call.name,
        arguments=call.arguments,
        side_effects=call.side_effects,
    )
    if ruled.mode == "off":
        return Verdict(decision="deny", reason=ruled.reason)
    risks = find_risks(call.name, call.arguments, side_effects=call.side_effects)
    reason = ruled.reason
    if ruled.mode == "auto":
        if not (risks and rules.ask_for_high_risk):
            return Verdict(decision="auto")
        reason = _("It looks risky, and this space asks before risky calls.")
    return Verdict(
        decision="ask",
        reason=reason,
        risks=risks,
        timeout_seconds=float(ruled.timeout_seconds or rules.timeout_seconds),
    )
