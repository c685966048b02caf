"""One random interleaving around waiting calls, and the promises that must hold after it.

Threads decide, stop, let time run out, look, work and take memberships away, all at once, over the
product's own services and a real PostgreSQL. Used by `approval_races.py` and by the suite.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch
from uuid import UUID

from celery import current_app
from django.db import connections

from accounts.access import Actor
from accounts.actors import actor_of
from accounts.constants import Role
from accounts.models import AuditEvent, Membership, Space, User
from agents.approvals.cards import card_of
from agents.approvals.decide import decide
from agents.approvals.expiry import expire_due
from agents.approvals.queries import get_approval
from agents.constants import OPEN_RUN_STATES, DecisionState, RunState
from agents.engine.events import parse_event
from agents.engine.tools import Tool, ToolContext, ToolResult
from agents.live.run_view import RunView
from agents.models import Agent, AgentRun, Approval, RunEvent
from agents.runs import prepare as prepare_module, runner, store
from agents.runs.blobs import unpack_state
from agents.services.conversations import Question, ask, stop_run
from agents.signals import run_finished
from agents.tools import registry
from agents.tools.deps import RunDeps
from benchmarks._race_model import TOOL, CallingModel, clone_run
from core.errors import ProjectError, Refused
from core.jobs.work import work
from core.tenancy import space_scope
from providers.constants import ModelType
from providers.contracts.chat import ToolSpec
from providers.models import AIModel

LONG_AGO = "2020-01-01T00:00:00Z"
LONGEST_PAUSE_SECONDS = 0.004
REAL_STARTS = 0.1
"""Share of cases whose run is begun by the real loop; the others start from a copy of one."""
SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "copies": {"type": "integer"}},
    "required": ["to"],
    "additionalProperties": False,
}


@dataclass
class Effects:
    """What the tool did, by run and call."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    done: list[tuple[UUID, str, dict[str, Any]]] = field(default_factory=list)

    def tool(self) -> Tool[RunDeps]:
        """Return a tool that must run once for each approval and never without."""

        async def body(ctx: ToolContext[RunDeps], arguments: dict[str, Any]) -> ToolResult:
            with self.lock:
                self.done.append((ctx.deps.run_id, ctx.call_id, arguments))
            return ToolResult(output="sent", summary="Sent")

        spec = ToolSpec(name=TOOL, description="Send something.", parameters=SCHEMA)
        return Tool(spec=spec, body=body, side_effects="unsafe")


@dataclass
class Attempt:
    """One try of one person to decide about one call."""

    call_id: str
    user_id: int | None
    resolution: str
    error: str = ""
    """Code of the refusal; empty: it was accepted."""


@dataclass
class Case:
    """One run with its waiting calls, and what was tried."""

    run_id: UUID
    attempts: list[Attempt] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    """Exceptions that no promise allows: deadlocks, broken rows."""


@dataclass
class Races:
    """A space with people and threads, in which cases are played one after the other."""

    space: Space
    asker: User
    others: tuple[User, ...]
    agent: Agent
    effects: Effects
    pool: ThreadPoolExecutor
    chance: random.Random
    templates: dict[int, UUID] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def actor(self, user: User) -> Actor:
        """Return the person as they were when they opened the page."""
        role = Role.CONTRIBUTOR if user == self.asker else Role.ADMIN
        return Actor(
            kind="user", id=str(user.pk), user_id=user.pk, space_id=self.space.pk, role=role
        )

    def play(self) -> list[str]:
        """Play one case; return which promises it broke."""
        with space_scope(self.space.pk):
            case, first = self._begin()
            actions = self._choose()
            case.actions = [name for name, _ in actions]
            futures = [self.pool.submit(self._act, case, action) for _, action in actions]
            wait([*futures, *first])
            _bring_home(self, case)
            broken = _broken_promises(self, case)
            self._count(case)
            self._restore()
        return [f"{case.run_id} {'+'.join(case.actions)}: {each}" for each in broken]

    def _begin(self) -> tuple[Case, list[Future[None]]]:
        calls = 2 if self.chance.random() < 0.3 else 1
        if calls in self.templates and self.chance.random() > REAL_STARTS:
            run = clone_run(self.templates[calls])
            return Case(run_id=run.pk), []
        run = ask(actor_of(self.asker, space_id=self.space.pk), Question(text=f"Send {calls}."))
        case = Case(run_id=run.pk)
        if calls not in self.templates:
            work("runs")
            self.templates[calls] = clone_run(run.pk).pk  # kept aside, nobody decides about it
            return case, []
        # The worker is still busy when people see the card: it sleeps late.
        first = self.pool.submit(self._act, case, _Actions.works)
        _wait_for_requests(run.pk, calls)
        return case, [first]

    def _choose(self) -> list[tuple[str, Callable[[Races, Case], None]]]:
        number = self.chance.randint(2, 5)
        names = self.chance.choices(list(_WEIGHTS), weights=list(_WEIGHTS.values()), k=number)
        if "double click" in names:
            names.append("double click")
        return [(name, _ACTIONS[name]) for name in names]

    def _act(self, case: Case, action: Callable[[Races, Case], None]) -> None:
        time.sleep(random.uniform(0, LONGEST_PAUSE_SECONDS))  # noqa: S311  an interleaving
        with space_scope(self.space.pk):
            try:
                action(self, case)
            except Exception as error:  # noqa: BLE001  told as a broken promise
                case.surprises.append(f"{type(error).__name__}: {error}")

    def _count(self, case: Case) -> None:
        self.counts.update(set(case.actions))
        for row in Approval.objects.filter(run_id=case.run_id):
            self.counts[f"→ {row.decision}"] += 1
        self.counts["decisions refused"] += sum(1 for each in case.attempts if each.error)

    def _restore(self) -> None:
        Membership.objects.get_or_create(
            space=self.space, user=self.asker, defaults={"role": Role.CONTRIBUTOR}
        )
        self.effects.done.clear()


class _Actions:
    """What threads do to a run. Names are those of the table."""

    @staticmethod
    def approves(races: Races, case: Case) -> None:
        _try(races, case, races.chance.choice((races.asker, *races.others)), "approved")

    @staticmethod
    def rejects(races: Races, case: Case) -> None:
        _try(races, case, races.chance.choice((races.asker, *races.others)), "rejected")

    @staticmethod
    def edits(races: Races, case: Case) -> None:
        arguments = {"to": "somebody else", "copies": "2"}
        _try(races, case, races.chance.choice((races.asker, *races.others)), "edited", arguments)

    @staticmethod
    def clicks_twice(races: Races, case: Case) -> None:
        _try(races, case, races.others[0], "approved")

    @staticmethod
    def replays(races: Races, case: Case) -> None:
        row = _some_row(races, case)
        with_other_hash = row.decision_hash[::-1]
        other = Approval.objects.filter(run_id=case.run_id).exclude(pk=row.pk).first()
        hashed = other.decision_hash if other is not None else with_other_hash
        attempt = Attempt(call_id=row.call_id, user_id=races.asker.pk, resolution="replayed")
        try:
            decide(
                races.actor(races.others[-1]),
                approval_id=row.pk,
                decision_hash=hashed,
                resolution="approved",
            )
            case.surprises.append("a replayed decision was accepted")
        except Refused as refusal:
            attempt.error = refusal.code
        case.attempts.append(attempt)

    @staticmethod
    def time_runs_out(_races: Races, case: Case) -> None:
        Approval.objects.filter(run_id=case.run_id).update(due_at=LONG_AGO)
        expire_due()

    @staticmethod
    def stops(races: Races, case: Case) -> None:
        stop_run(races.actor(races.asker), run_id=case.run_id)

    @staticmethod
    def refreshes(races: Races, case: Case) -> None:
        row = get_approval(races.actor(races.others[0]), _some_row(races, case).pk)
        card_of(row, actor=races.actor(races.others[0]), place="desk")
        view = RunView(run_id=str(case.run_id))
        for event in RunEvent.objects.filter(run_id=case.run_id).order_by("seq"):
            view.fold(parse_event(event.data), seq_to=event.seq_to)
        unpack_state(AgentRun.objects.get(pk=case.run_id).loop_state)

    @staticmethod
    def loses_membership(races: Races, _case: Case) -> None:
        Membership.objects.filter(space=races.space, user=races.asker).delete()

    @staticmethod
    def works(_races: Races, _case: Case) -> None:
        work("runs")


_ACTIONS: dict[str, Callable[[Races, Case], None]] = {
    "approve": _Actions.approves,
    "reject": _Actions.rejects,
    "edit": _Actions.edits,
    "double click": _Actions.clicks_twice,
    "replay": _Actions.replays,
    "time-out": _Actions.time_runs_out,
    "cancel": _Actions.stops,
    "refresh": _Actions.refreshes,
    "membership lost": _Actions.loses_membership,
    "worker": _Actions.works,
}
_WEIGHTS = {
    "approve": 5,
    "reject": 3,
    "edit": 3,
    "double click": 2,
    "replay": 2,
    "time-out": 2,
    "cancel": 2,
    "refresh": 2,
    "membership lost": 1,
    "worker": 4,
}


def _try(
    races: Races,
    case: Case,
    user: User,
    resolution: str,
    arguments: dict[str, Any] | None = None,
) -> None:
    row = _some_row(races, case)
    attempt = Attempt(call_id=row.call_id, user_id=user.pk, resolution=resolution)
    try:
        decide(
            races.actor(user),
            approval_id=row.pk,
            decision_hash=row.decision_hash,
            resolution=resolution,
            arguments=arguments,
        )
    except ProjectError as refusal:
        attempt.error = refusal.code
    case.attempts.append(attempt)


def _some_row(races: Races, case: Case) -> Approval:
    return races.chance.choice(list(Approval.objects.filter(run_id=case.run_id)))


def _wait_for_requests(run_id: UUID, calls: int) -> None:
    """Return when the real worker has asked, whether or not it sleeps yet."""
    deadline = time.monotonic() + 20
    while Approval.objects.filter(run_id=run_id).count() < calls:
        if time.monotonic() > deadline:
            raise TimeoutError(f"run {run_id} never asked")
        time.sleep(0.002)


def _bring_home(races: Races, case: Case) -> None:
    """Let workers, housekeeping and, last, a person bring the run to its end."""
    for _ in range(20):
        while work("runs"):
            pass
        expire_due()
        state = AgentRun.objects.values_list("state", flat=True).get(pk=case.run_id)
        if state not in OPEN_RUN_STATES:
            return
        if state == RunState.WAITING_APPROVAL:
            for row in Approval.objects.filter(run_id=case.run_id, decision=DecisionState.OPEN):
                attempt = Attempt(row.call_id, races.others[0].pk, "approved")
                decide(
                    races.actor(races.others[0]),
                    approval_id=row.pk,
                    decision_hash=row.decision_hash,
                    resolution="approved",
                )
                case.attempts.append(attempt)


def _broken_promises(races: Races, case: Case) -> list[str]:
    """Return what is not as promised, in words."""
    run = AgentRun.objects.get(pk=case.run_id)
    broken = list(case.surprises)
    if run.state in OPEN_RUN_STATES:
        broken.append(f"the run never ended ({run.state})")
    events = list(RunEvent.objects.filter(run=run).order_by("seq"))
    if [each.seq for each in events] != _whole(events):
        broken.append("the events have a gap")
    if sum(1 for each in events if each.type == "run_finished") != 1:
        broken.append("not exactly one end")
    refused = AuditEvent.objects.filter(outcome="refused")
    for row in Approval.objects.filter(run=run):
        broken += _broken_for(races, case, run, row)
        denied = refused.filter(action="approval.decide", target_id=str(row.pk)).count()
        tried = [a for a in case.attempts if a.call_id == row.call_id and a.error]
        if denied != len(tried):
            broken.append(f"{len(tried)} refusals, {denied} written down")
    return broken


def _whole(events: list[RunEvent]) -> list[int]:
    expected, next_seq = [], 1
    for each in events:
        expected.append(next_seq)
        next_seq = each.seq_to + 1
    return expected


def _broken_for(races: Races, case: Case, run: AgentRun, row: Approval) -> list[str]:
    broken = []
    accepted = [a for a in case.attempts if a.call_id == row.call_id and not a.error]
    people = {(each.user_id, each.resolution) for each in accepted}
    by_person = row.decision in ("approved", "edited", "rejected")
    if row.decision == DecisionState.OPEN:
        broken.append("nothing was decided")
    if people != ({(row.decided_by_id, row.decision)} if by_person else set()):
        broken.append(f"{row.decision} by {row.decided_by_id}, but accepted: {people}")
    told = AuditEvent.objects.filter(
        action="approval.decide", outcome="done", target_id=str(row.pk)
    ).count()
    if told != int(by_person):
        broken.append(f"{told} decisions written down")
    return broken + _broken_effects(races, run, row)


def _broken_effects(races: Races, run: AgentRun, row: Approval) -> list[str]:
    done = [
        arguments
        for run_id, call_id, arguments in races.effects.done
        if (run_id, call_id) == (run.pk, row.call_id)
    ]
    if len(done) > 1:
        return ["the side effect was done twice"]
    if row.decision not in ("approved", "edited"):
        return ["a side effect without an approval"] if done else []
    if done:
        wanted = row.arguments if row.decision == "approved" else row.edited_arguments
        return [] if done == [wanted] else [f"done with {done[0]}, not {wanted}"]
    if run.cancel_requested:
        return []
    refused = AuditEvent.objects.filter(
        action="approval.execute",
        outcome="refused",
        target_id=str(run.pk),
        details__call_id=row.call_id,
    )
    if refused.exists():
        races.counts["refused at execution"] += 1
        return []
    return ["approved, but neither done nor refused in the audit log"]


@contextmanager
def races_in(space: Space, *, seed: int, threads: int = 7) -> Iterator[Races]:
    """Make people and agent in the space, and play in it with a scripted model and tool."""
    effects = Effects()
    model = CallingModel()
    late = random.Random(seed)  # noqa: S311  an interleaving

    def sleep_late(lease: store.Lease) -> None:
        time.sleep(late.uniform(0, 3 * LONGEST_PAUSE_SECONDS))
        store.suspend(lease)

    with ExitStack() as stack, space_scope(space.pk):
        stack.enter_context(patch.object(prepare_module, "get_chat_model", lambda _row: model))
        stack.enter_context(patch.object(runner, "suspend", sleep_late))
        # What has no part in it and takes half of the time: budgets, folding, what follows a run.
        stack.enter_context(patch.object(runner, "BudgetGate", lambda **_: None))
        stack.enter_context(patch.object(runner, "_fold_later", lambda _run_id: None))
        stack.enter_context(patch.object(run_finished, "send_robust", lambda *_, **__: []))
        stack.enter_context(patch.object(current_app, "send_task", lambda *_, **__: None))
        stack.enter_context(patch.dict(registry._tools, {TOOL: effects.tool()}))
        pool = stack.enter_context(ThreadPoolExecutor(threads))
        AIModel.objects.create(space=space, name="scripted", type=ModelType.CHAT, is_default=True)
        agent = Agent.objects.create(space=space, name="Racer", config={"allowed_tools": [TOOL]})
        people = [_member(space, f"racer{n}", Role.ADMIN) for n in range(2)]
        yield Races(
            space=space,
            asker=_member(space, "asker", Role.CONTRIBUTOR),
            others=tuple(people),
            agent=agent,
            effects=effects,
            pool=pool,
            chance=random.Random(seed),  # noqa: S311  a seed, no secret
        )
        barrier = threading.Barrier(threads)
        wait([pool.submit(_close_connections, barrier) for _ in range(threads)])


def _close_connections(barrier: threading.Barrier) -> None:
    connections.close_all()
    barrier.wait(timeout=20)


def _member(space: Space, name: str, role: Role) -> User:
    user = User.objects.create(email=f"{name}@races.test", name=name)
    Membership.objects.create(space=space, user=user, role=role)
    return user
