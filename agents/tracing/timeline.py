"""A run as a timeline, folded from its stored events: rounds, calls of the model, tools, waiting.

Pure: rows in, values out. The end of a step is when its event was stored; what the event says it
took gives the begin. So the bars hold over pauses, take-overs and other workers' clocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from agents.engine.events import (
    ApprovalRequested,
    ApprovalResolved,
    ContextCompacted,
    ModelRetry,
    PreambleMoved,
    RoundDegraded,
    RoundStarted,
    RunFinished,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from agents.tracing.spans import Round, Span, StoredEvent, Timeline


def fold_timeline(rows: Iterable[StoredEvent]) -> Timeline:
    """Return the timeline of a run from its events, in their order."""
    fold = _Fold()
    for row in rows:
        fold.take(row)
    return fold.finish()


class _Fold:
    """The state while events are read."""

    def __init__(self) -> None:
        self.line = Timeline()
        self._open: dict[str, Span] = {}
        self._thought = ""

    def take(self, row: StoredEvent) -> None:
        event, at = row.event, row.at
        self.line.began = self.line.began or at
        before, self.line.last_at = self.line.last_at or at, at
        match event:
            case RoundStarted():
                self._break_off(before)
                self._begin_round(event, at)
            case ThoughtDelta():
                self._thought += event.text
            case PreambleMoved():
                self._say(event.text)
            case UsageReported():
                self._end_model(event, at)
            case ToolCallStarted():
                self._begin_tool(event, at)
            case ToolCallFinished():
                self._end_tool(event, at)
            case ApprovalRequested():
                self._begin_wait(event, at)
            case ApprovalResolved():
                self._end_wait(event, at)
            case RoundDegraded() | ModelRetry() | ContextCompacted():
                self._note(event, at)
            case RunFinished():
                self._end(event, at)
            case _:
                pass  # text of the answer, citations: the conversation shows them

    def finish(self) -> Timeline:
        if self._open.get("model") is not None and self.line.ended is None:
            self._open["model"].thought = self._thought
        return self.line

    def _round(self, at: datetime) -> Round:
        if not self.line.rounds:
            self.line.rounds.append(Round(number=0, began=at))
        return self.line.rounds[-1]

    def _add(self, span: Span) -> Span:
        self._round(span.began).spans.append(span)
        return span

    def _break_off(self, at: datetime) -> None:
        """Close a call of the model that its worker did not live to end."""
        span = self._open.pop("model", None)
        if span is not None:
            span.ended, span.state, span.purpose = at, "bad", "interrupted"
            span.thought, self._thought = self._thought, ""

    def _begin_round(self, event: RoundStarted, at: datetime) -> None:
        if not self.line.rounds or self.line.rounds[-1].number != event.round:
            self.line.rounds.append(Round(number=event.round, began=at))
        self._thought = ""
        self._open["model"] = self._add(
            Span(kind="model", key=f"model-{event.seq}", name="", began=at, seq=event.seq)
        )

    def _end_model(self, event: UsageReported, at: datetime) -> None:
        began = at - timedelta(milliseconds=event.duration_ms)
        span = self._open.pop("model", None) if event.purpose == "round" else None
        if span is None:
            span = self._add(Span(kind="model", key=f"model-{event.seq}", name="", began=began))
        span.began = max(began, self.line.began or began)
        span.name, span.purpose, span.ended, span.state = event.model, event.purpose, at, "ok"
        span.seq = event.seq
        span.input_tokens = event.usage.input_tokens
        span.output_tokens = event.usage.output_tokens
        span.cached_tokens = event.usage.cached_tokens
        span.is_estimated, span.first_token_ms = event.estimated, event.first_token_ms
        span.thought, self._thought = self._thought, ""

    def _say(self, text: str) -> None:
        models = [span for span in self.line.spans if span.kind == "model"]
        if models:
            models[-1].said = text

    def _begin_tool(self, event: ToolCallStarted, at: datetime) -> None:
        self._open[f"tool-{event.call_id}"] = self._add(
            Span(
                kind="tool",
                key=f"tool-{event.call_id}",
                name=event.name,
                began=at,
                seq=event.seq,
                call_id=event.call_id,
                detail=event.title,
                arguments=dict(event.arguments),
            )
        )

    def _end_tool(self, event: ToolCallFinished, at: datetime) -> None:
        key = f"tool-{event.call_id}"
        span = self._open.pop(key, None)
        if span is None:
            span = self._add(
                Span(kind="tool", key=key, name=event.name, began=at, call_id=event.call_id)
            )
        # A tool of an earlier worker may have been begun twice; its last stretch is what it took.
        span.began = max(span.began, at - timedelta(milliseconds=event.duration_ms))
        span.ended, span.state = at, "ok" if event.ok else "bad"
        span.detail = event.summary or span.detail
        span.output, span.data = event.output, event.data
        span.error_code = event.error_code or ""

    def _begin_wait(self, event: ApprovalRequested, at: datetime) -> None:
        key = f"wait-{event.call_id}"
        self._open[key] = self._add(
            Span(
                kind="wait",
                key=f"{key}-{event.seq}",
                name=event.name,
                began=at,
                seq=event.seq,
                call_id=event.call_id,
                detail=event.reason,
                arguments=dict(event.arguments),
            )
        )

    def _end_wait(self, event: ApprovalResolved, at: datetime) -> None:
        span = self._open.pop(f"wait-{event.call_id}", None)
        if span is not None:
            span.ended, span.purpose = at, event.resolution
            span.state = "ok" if event.resolution in ("approved", "edited") else "bad"
            span.said = event.comment

    def _note(self, event: RoundDegraded | ModelRetry | ContextCompacted, at: datetime) -> None:
        code, detail = _told(event)
        self._add(
            Span(
                kind="note",
                key=f"note-{event.seq}",
                name=code,
                began=at,
                ended=at,
                state="bad" if isinstance(event, ModelRetry) else "ok",
                seq=event.seq,
                detail=detail,
            )
        )

    def _end(self, event: RunFinished, at: datetime) -> None:
        self.line.ended, self.line.outcome, self.line.reason = at, event.outcome, event.reason
        for key, span in self._open.items():
            if key == "model" and event.reason == "budget":
                self.line.rounds[-1].spans.remove(span)  # announced, never asked
                continue
            span.ended, span.state = at, "bad"
        self._open.clear()


def _told(event: RoundDegraded | ModelRetry | ContextCompacted) -> tuple[str, str]:
    match event:
        case RoundDegraded():
            return event.reason, event.detail
        case ModelRetry():
            return "model_retry", event.reason
        case ContextCompacted():
            sizes = f"{event.before_tokens:,} → {event.after_tokens:,}"
            return "summary_failed" if event.degraded else "context_compacted", sizes
