"""Somebody who asks an agent many questions and says no where a call's outcome is unknown."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from accounts.actors import actor_by
from accounts.models import Membership
from agents.approvals.decide import decide
from agents.configuration import AgentConfig, ToolApproval
from agents.constants import OPEN_RUN_STATES, DecisionState, RunState
from agents.models import Agent, AgentRun, Approval, RunEvent
from agents.services.conversations import Question, ask
from core.errors import ProjectError
from core.tenancy import space_scope


class Asker:
    """The first space's owner, with an agent that has the given tools and needs no approval."""

    def __init__(self, *, tools: tuple[str, ...]) -> None:
        membership = Membership.objects.select_related("space", "user").earliest("pk")
        self._actor = actor_by(membership)
        self._space_id = membership.space_id
        approvals = tuple(ToolApproval(tool=each, mode="auto") for each in tools)
        config = AgentConfig(allowed_tools=tools, approvals=approvals, max_iterations=20)
        with space_scope(self._space_id):
            self._agent = Agent.objects.create(
                space_id=self._space_id, name="Porter", config=config.changed_values()
            )
        self.open_runs: set[UUID] = set()
        self._recoveries = 0
        self._most_in_flight = 0

    def ask(self, text: str) -> UUID:
        """Ask in a conversation of its own."""
        with space_scope(self._space_id):
            run = ask(self._actor, Question(text=text, agent_id=self._agent.pk))
        self.open_runs.add(run.pk)
        return run.pk

    def look(self) -> None:
        """See which runs are over, and decide what waits."""
        with space_scope(self._space_id):
            for approval in Approval.objects.filter(decision=DecisionState.OPEN):
                self._refuse(approval)
            rows = dict(
                AgentRun.objects.filter(
                    pk__in=self.open_runs, state__in=OPEN_RUN_STATES
                ).values_list("pk", "state")
            )
        running = sum(1 for state in rows.values() if state == RunState.RUNNING)
        self._most_in_flight = max(self._most_in_flight, running)
        self.open_runs &= set(rows)

    def findings(self, asked: list[UUID], effects: Counter[tuple[str, str]]) -> dict[str, Any]:
        """Count lost runs, repeated effects and gaps."""
        lost, gaps = [], []
        with space_scope(self._space_id):
            for run in AgentRun.objects.filter(pk__in=asked):
                rows = list(RunEvent.objects.filter(run=run).order_by("seq"))
                ends = sum(1 for row in rows if row.type == "run_finished")
                if run.state != RunState.DONE or run.answer_id is None or ends != 1:
                    lost.append(f"lost: {run.pk} {run.state} {run.reason} ends={ends}")
                expected = 1
                for row in rows:
                    if row.seq != expected:
                        gaps.append(f"gap: {run.pk} before {row.seq}, expected {expected}")
                        break
                    expected = row.seq_to + 1
            missing = set(asked) - set(
                AgentRun.objects.filter(pk__in=asked).values_list("pk", flat=True)
            )
        lost += [f"lost: {each} is gone" for each in missing]
        return {
            "runs": len(asked),
            "recoveries": self._recoveries,
            "most_in_flight": self._most_in_flight,
            "effects": len(effects),
            "lost": lost,
            "twice": [f"twice: {key} {n} times" for key, n in effects.items() if n > 1],
            "gaps": gaps,
        }

    def _refuse(self, approval: Approval) -> None:
        try:
            decide(
                self._actor,
                approval_id=approval.pk,
                decision_hash=approval.decision_hash,
                resolution="rejected",
                comment="Do not repeat it.",
            )
        except ProjectError:
            return  # the run went on meanwhile
        self._recoveries += 1
