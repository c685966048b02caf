"""A run's events as the reference streams them: one small machine, fed with event after event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerReset,
    ApprovalRequested,
    ApprovalResolved,
    RunFinished,
    RunStarted,
    ThoughtDelta,
    ThoughtFinished,
    ToolCallFinished,
    ToolCallStarted,
)
from knowledge.evidence import Evidence

Piece = dict[str, Any]


@dataclass
class AnswerStream:
    """Turns events into pieces; knows what was said so far."""

    session_id: str
    message_id: str
    """Of the answer, which is the run's own id."""
    said: str = field(default="", init=False)

    def pieces(self, event: AgentEvent, evidence: Sequence[Evidence] = ()) -> Iterable[Piece]:
        """Return what an event tells a client, in its order; `evidence` goes with the last one."""
        match event:
            case RunStarted():
                yield self._piece("agent_query", done=True, data={"query": event.question})
            case ThoughtDelta():
                yield self._piece("thinking", event.text)
            case ThoughtFinished():
                yield self._piece("thinking", done=True, data={"duration_ms": event.duration_ms})
            case ToolCallStarted():
                data = {**_call(event), "arguments": event.arguments}
                yield self._piece("tool_call", event.title, data=data)
            case ToolCallFinished():
                yield self._tool_result(event)
            case AnswerDelta():
                self.said += event.text
                yield self._piece("answer", event.text)
            case AnswerReset():
                self.said = ""
                yield self._piece("answer", data={"reset": True, "reason": event.reason})
            case ApprovalRequested():
                data = {**_call(event), "arguments": event.arguments, "reason": event.reason}
                yield self._piece("tool_approval_required", event.title, data=data)
            case ApprovalResolved():
                data = {"tool_call_id": event.call_id, "decision": event.resolution}
                yield self._piece("tool_approval_resolved", data=data)
            case RunFinished():
                yield from self._end(event, evidence)
            case _:
                return

    def _tool_result(self, event: ToolCallFinished) -> Piece:
        data = {
            **_call(event),
            "success": event.ok,
            "duration_ms": event.duration_ms,
            "output": event.output,
        }
        if event.error_code:
            data["error"] = event.error_code
        return self._piece("tool_result", event.summary, done=True, data=data)

    def _end(self, event: RunFinished, evidence: Sequence[Evidence]) -> Iterable[Piece]:
        """Yield the sources, what of the answer was not said yet, a failure, and the last piece."""
        references = [reference_of(each) for each in evidence]
        yield self._piece("references", done=True, knowledge_references=references)
        if event.answer != self.said:
            rest = event.answer.removeprefix(self.said)
            starts_anew = not event.answer.startswith(self.said)
            yield self._piece("answer", rest, data={"reset": True} if starts_anew else None)
        yield self._piece("answer", done=True)
        if event.outcome == "failed":
            yield self._piece("error", event.detail, done=True, data={"reason": event.reason})
        outcome = {"outcome": event.outcome, "reason": event.reason, "detail": event.detail}
        yield self._piece("complete", done=True, data=outcome)

    def _piece(
        self,
        response_type: str,
        content: str = "",
        *,
        done: bool = False,
        data: dict[str, Any] | None = None,
        knowledge_references: list[dict[str, Any]] | None = None,
    ) -> Piece:
        return {
            "id": self.message_id,
            "response_type": response_type,
            "content": content,
            "done": done,
            "session_id": self.session_id,
            "assistant_message_id": self.message_id,
            "knowledge_references": knowledge_references,
            "data": data,
        }


def reference_of(evidence: Evidence) -> dict[str, Any]:
    """Return one source of an answer, as far as its reader may see it."""
    place = {"marker": str(evidence.marker), "state": evidence.source_state}
    if evidence.page_from is not None:
        place["page"] = str(evidence.page_from)
    return {
        "id": str(evidence.chunk_id or ""),
        "content": evidence.text,
        "knowledge_id": str(evidence.document_id or ""),
        "knowledge_base_id": str(evidence.base_id or ""),
        "knowledge_title": evidence.document_name,
        "knowledge_filename": evidence.document_name,
        "seq": evidence.marker,
        "score": 1.0,
        "chunk_type": "text",
        "metadata": place,
    }


def _call(event: ToolCallStarted | ToolCallFinished | ApprovalRequested) -> dict[str, Any]:
    return {"tool_name": event.name, "tool_call_id": event.call_id}
