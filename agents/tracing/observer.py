"""Spans of a run, made from the events that pass by; it only looks on and never fails a run.

```
agent.execute                     one stretch of work on a run; a resumed run has several
└── agent.round.1
    ├── chat Qwen3                a call of the model
    └── agent.tool.knowledge_search
```

Names and attributes are those of OpenTelemetry's conventions for generative AI. Texts go along only
where the setting says so, short and without secrets.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass, field

from django.conf import settings
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from agents.engine.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    ContextCompacted,
    ModelRetry,
    RoundDegraded,
    RoundStarted,
    RunFinished,
    RunStarted,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from agents.tracing import telemetry
from agents.tracing.masking import mask_arguments, mask_text, preview
from agents.tracing.telemetry import begin_trace
from agents.tracing.watching import RunFacts

logger = logging.getLogger(__name__)


def observe(facts: RunFacts) -> RunObserver | None:
    """Return an observer of a run; None when no address is set."""
    found = telemetry.tracer()
    return None if found is None else RunObserver(found, facts)


@dataclass
class RunObserver:
    """Turns one stretch of a run's events into spans."""

    tracer: Tracer
    facts: RunFacts
    _root: Span = field(init=False)
    _round: Span | None = None
    _tools: dict[str, Span] = field(default_factory=dict)
    _outcome: str = "interrupted"
    """What becomes of it when no end is seen: the worker let go, or it waits for a person."""

    def __post_init__(self) -> None:
        self._root = begin_trace(
            self.tracer,
            "agent.execute",
            run_id=self.facts.run_id,
            attributes=self.facts.attributes(),
        )

    def see(self, event: AgentEvent) -> None:
        """Take one event in; whatever fails here is logged and leaves the run alone."""
        try:
            self._see(event)
        except Exception:  # a trace is never worth a run
            logger.exception("An event could not be traced")

    def close(self) -> None:
        """End what is still open; the spans can be sent."""
        try:
            for span in (*self._tools.values(), self._round):
                if span is not None:
                    span.end()
            self._root.set_attribute("weknora.run.outcome", self._outcome)
            self._root.end()
        except Exception:  # a trace is never worth a run
            logger.exception("A trace could not be ended")

    def _see(self, event: AgentEvent) -> None:
        match event:
            case RunStarted():
                self._said("gen_ai.input.messages", "user", event.question)
            case RoundStarted():
                self._begin_round(event)
            case UsageReported():
                self._call(event)
            case ToolCallStarted():
                self._begin_tool(event)
            case ToolCallFinished():
                self._end_tool(event)
            case ModelRetry() | RoundDegraded() | ContextCompacted():
                here = self._round or self._root
                here.add_event(event.type, {"detail": mask_text(_detail(event))})
            case ApprovalRequested():
                self._outcome = "waiting_approval"
                self._root.add_event(event.type, {"gen_ai.tool.name": event.name})
            case ApprovalResolved():
                self._outcome = "interrupted"
                self._root.add_event(event.type, {"resolution": event.resolution})
            case RunFinished():
                self._finish(event)
            case _:
                pass  # pieces of text; the whole comes with the end

    def _child(
        self, name: str, *, kind: SpanKind = SpanKind.INTERNAL, began: int | None = None
    ) -> Span:
        parent = set_span_in_context(self._round or self._root)
        return self.tracer.start_span(name, context=parent, kind=kind, start_time=began)

    def _begin_round(self, event: RoundStarted) -> None:
        if self._round is not None:
            self._round.end()
        self._round = None
        self._round = self._child(f"agent.round.{event.round}")
        self._round.set_attribute("weknora.round", event.round)

    def _call(self, event: UsageReported) -> None:
        now = time.time_ns()
        span = self._child(
            f"chat {event.model}", kind=SpanKind.CLIENT, began=now - event.duration_ms * 1_000_000
        )
        span.set_attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": event.model,
                "gen_ai.conversation.id": str(self.facts.conversation_id),
                "gen_ai.usage.input_tokens": event.usage.input_tokens,
                "gen_ai.usage.output_tokens": event.usage.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": event.usage.cached_tokens,
                "weknora.call.purpose": event.purpose,
                "weknora.usage.estimated": event.estimated,
            }
        )
        if event.first_token_ms is not None:
            span.set_attribute("gen_ai.response.time_to_first_chunk", event.first_token_ms / 1000)
        span.end(now)

    def _begin_tool(self, event: ToolCallStarted) -> None:
        span = self._child(f"agent.tool.{event.name}")
        span.set_attributes(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": event.name,
                "gen_ai.tool.call.id": event.call_id,
            }
        )
        arguments = mask_arguments(event.name, event.arguments)
        self._content(span, "gen_ai.tool.call.arguments", arguments)
        self._tools[event.call_id] = span

    def _end_tool(self, event: ToolCallFinished) -> None:
        span = self._tools.pop(event.call_id, None)
        if span is None:  # begun by a worker that is gone
            began = time.time_ns() - event.duration_ms * 1_000_000
            span = self._child(f"agent.tool.{event.name}", began=began)
            span.set_attribute("gen_ai.tool.name", event.name)
        if event.ok:
            self._content(span, "gen_ai.tool.call.result", event.output)
        else:
            span.set_attribute("error.type", event.error_code or "failed")
            span.set_status(Status(StatusCode.ERROR, mask_text(event.summary)))
        span.end()

    def _finish(self, event: RunFinished) -> None:
        self._outcome = event.outcome
        self._root.set_attribute("weknora.run.reason", event.reason)
        self._said("gen_ai.output.messages", "assistant", event.answer)
        if event.outcome == "failed":
            self._root.set_attribute("error.type", event.reason)
            self._root.set_status(Status(StatusCode.ERROR, mask_text(event.detail)))

    def _content(self, span: Span, name: str, value: object) -> None:
        if settings.TRACE_CONTENT:
            span.set_attribute(name, preview(value))

    def _said(self, name: str, role: str, text: str) -> None:
        """Add a message as JSON; its text is cut inside, so that the JSON stays whole."""
        if settings.TRACE_CONTENT:
            part = {"type": "text", "content": preview(text)}
            told = json.dumps([{"role": role, "parts": [part]}], ensure_ascii=False)
            self._root.set_attribute(name, told)


def _detail(event: ModelRetry | RoundDegraded | ContextCompacted) -> str:
    if isinstance(event, ContextCompacted):
        return f"{event.before_tokens} → {event.after_tokens} tokens"
    return event.reason if isinstance(event, ModelRetry) else event.detail
