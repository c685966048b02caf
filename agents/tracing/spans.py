"""What a timeline is made of: a run's rounds and their steps, with what they took."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from agents.engine.events import AgentEvent
from agents.tracing.intervals import Interval, total_seconds

SpanKind = Literal["model", "tool", "wait", "note"]
SpanState = Literal["live", "ok", "bad"]


@dataclass(frozen=True, kw_only=True)
class StoredEvent:
    """An event with the time at which it was stored."""

    event: AgentEvent
    at: datetime


@dataclass(kw_only=True)
class Span:
    """One step: a call of the model, a tool, a wait for a person, or a note."""

    kind: SpanKind
    key: str
    """Unique in the run."""
    name: str
    began: datetime
    ended: datetime | None = None
    """None while it goes on."""
    state: SpanState = "live"
    seq: int = 0
    call_id: str = ""
    detail: str = ""
    """One line for people."""
    purpose: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    is_estimated: bool = False
    first_token_ms: int | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    output: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    error_code: str = ""
    thought: str = ""
    """What the model thought in this call."""
    said: str = ""
    """What it announced before it called tools."""

    def seconds(self, now: datetime) -> float:
        """Return how long it took, up to now when it goes on."""
        return max(0.0, ((self.ended or now) - self.began).total_seconds())


@dataclass(kw_only=True)
class Round:
    """What stands between two announcements of a round; 0 holds what came before the first."""

    number: int
    began: datetime
    spans: list[Span] = field(default_factory=list)


@dataclass(kw_only=True)
class Timeline:
    """A run's rounds with its sums."""

    rounds: list[Round] = field(default_factory=list)
    began: datetime | None = None
    ended: datetime | None = None
    """When the last event was stored; None while the run goes on."""
    outcome: str = ""
    reason: str = ""
    """Code of how it ended, such as `budget`."""
    last_at: datetime | None = None

    @property
    def spans(self) -> list[Span]:
        """All spans, in the order in which they began to be told."""
        return [span for each in self.rounds for span in each.spans]

    def of_kind(self, kind: SpanKind) -> list[Span]:
        """Return the spans of one kind."""
        return [span for span in self.spans if span.kind == kind]

    def total_seconds(self, now: datetime) -> float:
        """Return the time from the first event to the last, up to now when it goes on."""
        if self.began is None:
            return 0.0
        return max(0.0, ((self.ended or now) - self.began).total_seconds())

    def waiting_seconds(self, now: datetime) -> float:
        """Return how long people were waited for; times that overlap count once."""
        waits = [Interval(each.began, each.ended or now) for each in self.of_kind("wait")]
        return min(total_seconds(waits), self.total_seconds(now))

    def working_seconds(self, now: datetime) -> float:
        """Return the time without waiting for people."""
        return self.total_seconds(now) - self.waiting_seconds(now)
