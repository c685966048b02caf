"""A run as a page shows it, folded from its events: the same for a finished run and a live one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, assert_never

from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReset,
    ApprovalRequested,
    ApprovalResolved,
    CitationAdded,
    ContextCompacted,
    ModelRetry,
    PreambleMoved,
    RoundDegraded,
    RoundStarted,
    RunFinished,
    RunOutcome,
    RunStarted,
    ThoughtDelta,
    ThoughtFinished,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)

StepState = Literal["live", "wait", "ok", "bad"]
StepKind = Literal["thought", "text", "tools", "note", "approval"]


@dataclass(kw_only=True)
class ToolCard:
    """One tool call."""

    call_id: str
    name: str
    title: str
    arguments: dict[str, Any]
    state: StepState = "live"
    summary: str = ""
    output: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    duration_ms: int | None = None
    error_code: str = ""


@dataclass(kw_only=True)
class Step:
    """One entry of the timeline."""

    kind: StepKind
    key: str
    """Unique within the run; part of the element's id."""
    round: int
    state: StepState = "live"
    text: str = ""
    duration_ms: int | None = None
    cards: list[ToolCard] = field(default_factory=list)
    seq: int = 0
    """Of an approval: the event that asked."""
    call_id: str = ""
    """Of an approval: the call that it is about."""


@dataclass(kw_only=True)
class RunView:
    """What is known of a run after the events that were folded in."""

    run_id: str
    steps: list[Step] = field(default_factory=list)
    answer: str = ""
    round: int = 0
    outcome: RunOutcome | None = None
    """None while the run goes on."""
    reason: str = ""
    end: str = ""
    """Code of how it ended, such as `budget`."""
    seq: int = 0
    """The last event that is folded in."""

    @property
    def tool_calls(self) -> int:
        """How many tools were called."""
        return sum(len(step.cards) for step in self.steps)

    @property
    def rounds(self) -> int:
        """How many rounds the model took."""
        return self.round

    def card(self, call_id: str) -> ToolCard | None:
        """Return the card of a call."""
        for step in self.steps:
            for card in step.cards:
                if card.call_id == call_id:
                    return card
        return None

    def step(self, key: str) -> Step | None:
        """Return the step with this key."""
        return next((step for step in self.steps if step.key == key), None)

    def fold(self, event: AgentEvent, *, seq_to: int | None = None) -> None:
        """Take one event in."""
        self.seq = seq_to or event.seq
        match event:
            case RunStarted() | CitationAdded() | UsageReported():
                pass
            case RoundStarted():
                self.round = max(self.round, event.round)
            case ThoughtDelta():
                self._thought(event.round).text += event.text
            case ThoughtFinished():
                thought = self._thought(event.round)
                thought.state, thought.duration_ms = "ok", event.duration_ms
            case PreambleMoved():
                self._add("text", f"text-{event.round}", event.round, event.text)
            case ToolCallStarted():
                self._tools(event.round).cards.append(_card(event))
            case ToolCallFinished():
                self._finish_call(event)
            case AnswerDelta():
                self.answer += event.text
            case AnswerReset():
                self.answer = ""
            case AnswerFinished():
                self.answer = event.text
            case RoundDegraded():
                self._note(event, event.detail)
            case ModelRetry():
                wait = f"{event.wait_seconds:.0f} s"
                self._note(event, f"The model failed ({event.reason}); asked again after {wait}.")
            case ContextCompacted():
                self._note(event, "Older messages were summarised to make room.")
            case ApprovalRequested():
                self._ask(event)
            case ApprovalResolved():
                self._resolve(event)
            case RunFinished():
                self._finish(event)
            case _:
                assert_never(event)

    @property
    def open_approvals(self) -> list[Step]:
        """The requests that the run has not taken an answer up for."""
        return [step for step in self.steps if step.state == "wait"]

    def approval(self, call_id: str) -> Step | None:
        """Return the last request about a call."""
        found = [step for step in self.steps if step.kind == "approval" and step.call_id == call_id]
        return found[-1] if found else None

    def _ask(self, event: ApprovalRequested) -> None:
        key = f"approval-{event.seq}"
        step = self._add("approval", key, event.round, event.title, state="wait")
        step.seq, step.call_id = event.seq, event.call_id

    def _resolve(self, event: ApprovalResolved) -> None:
        step = self.approval(event.call_id)
        if step is not None:
            step.state = "ok" if event.resolution in ("approved", "edited") else "bad"

    def _thought(self, round_number: int) -> Step:
        key = f"thought-{round_number}"
        return self.step(key) or self._add("thought", key, round_number, "", state="live")

    def _tools(self, round_number: int) -> Step:
        key = f"tools-{round_number}"
        return self.step(key) or self._add("tools", key, round_number, "", state="live")

    def _note(self, event: AgentEvent, text: str) -> None:
        self._add("note", f"note-{event.seq}", self.round, text)

    def _add(
        self,
        kind: StepKind,
        key: str,
        round_number: int,
        text: str,
        *,
        state: StepState = "ok",
    ) -> Step:
        step = Step(kind=kind, key=key, round=round_number, text=text, state=state)
        self.steps.append(step)
        return step

    def _finish_call(self, event: ToolCallFinished) -> None:
        card = self.card(event.call_id)
        if card is None:
            return
        card.state = "ok" if event.ok else "bad"
        card.summary, card.output, card.data = event.summary, event.output, event.data
        card.duration_ms, card.error_code = event.duration_ms, event.error_code or ""
        step = self._tools(event.round)
        if all(each.state != "live" for each in step.cards):
            step.state = "bad" if all(each.state == "bad" for each in step.cards) else "ok"

    def _finish(self, event: RunFinished) -> None:
        self.outcome, self.reason, self.end = event.outcome, event.detail, event.reason
        self.answer = event.answer
        for step in self.steps:
            if step.state in ("live", "wait"):
                step.state = "ok" if event.outcome == "answered" else "bad"


def _card(event: ToolCallStarted) -> ToolCard:
    return ToolCard(
        call_id=event.call_id, name=event.name, title=event.title, arguments=dict(event.arguments)
    )
