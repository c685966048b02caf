"""Events of a run, in the order a client sees them: one closed union.

`seq` counts from 1 without gaps over the whole run, also over pauses and take-overs; the loop
numbers the events as they leave it. The last event of a run is its only `RunFinished`. A run that
waits for approval ends its stream with `ApprovalRequested` events and has no `RunFinished` yet.

What a client does with them: `AnswerDelta` grows the answer, `AnswerReset` empties it together with
its citations (markers start again at 1), `AnswerFinished` holds the whole text and wins over the
deltas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter

from providers.contracts.chat import Usage

RunMode = Literal["react", "quick"]
RunOutcome = Literal["answered", "fallback", "limit_reached", "stopped", "failed"]
RunReason = Literal[
    "natural_stop",
    "output_limit",
    "content_filter",
    "empty_answer",
    "same_text_twice",
    "repeated_call",
    "max_rounds",
    "run_timeout",
    "budget",
    "cancelled",
    "model_failed",
    "internal_error",
]
ResetReason = Literal["preamble", "retry", "unfinished", "tool_call_in_text", "thought", "resumed"]
DegradedReason = Literal[
    "answer_from_results",
    "answer_cut",
    "answer_unfinished",
    "calls_cut",
    "too_many_calls",
    "results_shortened",
    "memory_unavailable",
    "summary_failed",
]
CallPurpose = Literal["round", "synthesis", "summary", "understanding"]
ApprovalKind = Literal["call", "recovery"]
Decided = Literal["approved", "edited", "rejected", "expired"]
Resolution = Literal["approved", "edited", "rejected", "expired", "cancelled"]
"""`cancelled`: the run was stopped before anyone decided."""


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    seq: int = Field(default=0, ge=0)
    """Position in the run, from 1; 0 only before the loop has numbered the event."""


class RunStarted(_Event):
    """The run begins."""

    type: Literal["run_started"] = "run_started"
    question: str
    mode: RunMode


class RoundStarted(_Event):
    """The model is asked for its next turn."""

    type: Literal["round_started"] = "round_started"
    round: int


class ThoughtDelta(_Event):
    """A piece of the model's reasoning."""

    type: Literal["thought_delta"] = "thought_delta"
    round: int
    text: str


class ThoughtFinished(_Event):
    """The reasoning of this round is complete."""

    type: Literal["thought_finished"] = "thought_finished"
    round: int
    duration_ms: int


class PreambleMoved(_Event):
    """Text that was no answer but an announcement of tool calls; it belongs to the steps."""

    type: Literal["preamble_moved"] = "preamble_moved"
    round: int
    text: str


class ToolCallStarted(_Event):
    """A tool call begins to run (or is refused at once; its end says so)."""

    type: Literal["tool_call_started"] = "tool_call_started"
    round: int
    call_id: str
    name: str
    arguments: dict[str, Any]
    """As they are run: repaired, cast, with real ids instead of aliases."""
    title: str
    """One line for people."""


class ToolCallFinished(_Event):
    """A tool call ended, well or badly. Calls of a round finish in any order."""

    type: Literal["tool_call_finished"] = "tool_call_finished"
    round: int
    call_id: str
    name: str
    ok: bool
    output: str
    """What the model reads: cut to the budget, ids as aliases."""
    summary: str
    """One line for people."""
    data: dict[str, Any] = Field(default_factory=dict)
    """The structured result for the tool's card."""
    duration_ms: int
    error_code: str | None = None


class AnswerDelta(_Event):
    """A piece of the answer, with public citation markers."""

    type: Literal["answer_delta"] = "answer_delta"
    text: str


class CitationAdded(_Event):
    """The answer's next marker `[n]` is explained; it comes before the text that holds it."""

    type: Literal["citation_added"] = "citation_added"
    marker: int
    alias: str
    kind: Literal["chunk", "document", "web"]
    chunk_id: str | None = None
    document_id: str | None = None
    base_id: str | None = None
    title: str = ""
    page: int | None = None
    url: str = ""


class AnswerReset(_Event):
    """What was shown of the answer is withdrawn, with its citations."""

    type: Literal["answer_reset"] = "answer_reset"
    reason: ResetReason


class RoundDegraded(_Event):
    """Something of this round went worse than it should; people may know."""

    type: Literal["round_degraded"] = "round_degraded"
    round: int
    reason: DegradedReason
    detail: str
    """One sentence for people."""


class ModelRetry(_Event):
    """The model's call failed and is made again after a pause."""

    type: Literal["model_retry"] = "model_retry"
    round: int
    attempt: int
    """Number of the retry, from 1."""
    wait_seconds: float
    reason: str


class ApprovalRequested(_Event):
    """A call waits for a person."""

    type: Literal["approval_requested"] = "approval_requested"
    round: int
    call_id: str
    name: str
    arguments: dict[str, Any]
    title: str
    kind: ApprovalKind
    """`recovery`: the call was begun by a worker that died, its outcome is unknown."""
    reason: str
    risks: tuple[str, ...] = ()
    decision_hash: str
    """What the decision is bound to: tool, arguments and principal."""
    timeout_seconds: float


class ApprovalResolved(_Event):
    """A waiting call was decided and is carried on with."""

    type: Literal["approval_resolved"] = "approval_resolved"
    round: int
    call_id: str
    resolution: Resolution
    comment: str = ""


class ContextCompacted(_Event):
    """Older messages were replaced by a summary so that the window suffices."""

    type: Literal["context_compacted"] = "context_compacted"
    round: int
    reason: Literal["threshold", "overflow"]
    before_tokens: int
    after_tokens: int
    before_messages: int
    after_messages: int
    split_turn: bool
    """Whether the cut went through the present turn."""
    degraded: bool
    """Whether the raw text was kept because the summary failed."""


class AnswerFinished(_Event):
    """The whole answer; it wins over the deltas."""

    type: Literal["answer_finished"] = "answer_finished"
    text: str


class UsageReported(_Event):
    """What one call of the model took."""

    type: Literal["usage_reported"] = "usage_reported"
    round: int
    purpose: CallPurpose
    model: str
    usage: Usage
    estimated: bool
    """Whether the service gave no figures and these are counted here."""
    duration_ms: int
    first_token_ms: int | None = None


class RunFinished(_Event):
    """The run is over; nothing follows."""

    type: Literal["run_finished"] = "run_finished"
    outcome: RunOutcome
    reason: RunReason
    detail: str = ""
    """Why, in one sentence for people; empty after a natural end."""
    answer: str
    """The answer, or what there is of it; may be empty unless the outcome is `answered`."""


AgentEvent = Annotated[
    RunStarted
    | RoundStarted
    | ThoughtDelta
    | ThoughtFinished
    | PreambleMoved
    | ToolCallStarted
    | ToolCallFinished
    | AnswerDelta
    | CitationAdded
    | AnswerReset
    | RoundDegraded
    | ModelRetry
    | ApprovalRequested
    | ApprovalResolved
    | ContextCompacted
    | AnswerFinished
    | UsageReported
    | RunFinished,
    Discriminator("type"),
]
EVENT_ADAPTER: TypeAdapter[AgentEvent] = TypeAdapter(AgentEvent)

EventT = TypeVar("EventT", bound=_Event)


def parse_event(data: Mapping[str, Any]) -> AgentEvent:
    """Read an event from stored data.

    Raises:
        ValidationError: no event of the union has this form.
    """
    return EVENT_ADAPTER.validate_python(dict(data))


def number_event(event: EventT, seq: int) -> EventT:
    """Return the event with its place in the run."""
    return event.model_copy(update={"seq": seq})


def is_delta(event: AgentEvent) -> bool:
    """Whether the event is a piece of text, so that no checkpoint of the state is due with it."""
    return isinstance(event, AnswerDelta | ThoughtDelta)
