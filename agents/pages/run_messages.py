"""What the model read last, as far as the reader may see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor
from agents.engine.events import ToolCallFinished, parse_event
from agents.memory.traces import without_memory
from agents.models import AgentRun, RunEvent
from agents.pages.run import Block, block
from agents.runs.blobs import unpack_state
from agents.tracing.closed import is_closed
from agents.tracing.masking import mask_text
from agents.tracing.sight import closed_note, sight_of
from providers.contracts.chat import ChatMessage

_ROLES = {
    "system": gettext_lazy("Instructions"),
    "user": gettext_lazy("Person"),
    "assistant": gettext_lazy("Model"),
    "tool": gettext_lazy("Tool result"),
}
_RETRIEVAL = "retrieval"
"""Call id of a quick answer's search, whose passages stand in the runtime context."""


@dataclass(frozen=True, kw_only=True)
class MessageView:
    """One message."""

    role: str
    label: str
    block: Block
    calls: tuple[Block, ...] = ()


def messages_of(actor: Actor, run: AgentRun) -> list[MessageView]:
    """Return the messages of the run's stored state; text of closed sources is left out."""
    if not run.loop_state:
        return []
    if is_closed(actor, run.pk):
        note = block(str(_ROLES["assistant"]), closed_note())
        return [MessageView(role="assistant", label=note.label, block=note)]
    try:
        state = unpack_state(run.loop_state)
    except KeyError:
        return []  # its texts were erased
    open_calls, all_open = _open_calls(actor, run)
    found = []
    for index, message in enumerate(state.messages):
        text = message.content
        if message.role == "system" and run.shared_agent_id is not None:
            text = _("The instructions of a shared agent stay with its space.")
        elif message.role == "tool" and message.call_id not in open_calls:
            text = _("A result from a source you may not see.")
        elif state.summary and not all_open and state.summary[:200] in text:
            text = _("A summary of results, some from sources you may not see.")
        found.append(_view(message, text))
        if index == state.question_at and state.runtime_context:
            is_own = run.user_id == actor.user_id
            context = state.runtime_context if is_own else without_memory(state.runtime_context)
            if run.shared_agent_id is not None:
                continue  # a quick answer's frame is the other space's, like its instructions
            found.append(_context(context, is_open=_may_show(open_calls, all_open)))
    return found


def _open_calls(actor: Actor, run: AgentRun) -> tuple[set[str], bool]:
    """Return the calls of the conversation whose results the reader may see; whether it is all."""
    rows = RunEvent.objects.filter(
        run__conversation_id=run.conversation_id, type="tool_call_finished"
    )
    events = list(_finished(rows))
    sight = sight_of(actor, events)
    closed = {event.call_id for event in events if sight.hides(event)}
    return {event.call_id for event in events} - closed, not closed


def _finished(rows: Iterable[RunEvent]) -> Iterable[ToolCallFinished]:
    for row in rows:
        event = parse_event(row.data)
        if isinstance(event, ToolCallFinished):
            yield event


def _may_show(open_calls: set[str], all_open: bool) -> bool:
    return all_open or _RETRIEVAL in open_calls


def _context(text: str, *, is_open: bool) -> MessageView:
    shown = text if is_open else _("Passages, some from sources you may not see.")
    label = _("Added to the question, for this call only")
    return MessageView(role="user", label=label, block=block(label, mask_text(shown)))


def _view(message: ChatMessage, text: str) -> MessageView:
    label = str(_ROLES[message.role])
    calls = tuple(block(call.name, mask_text(call.arguments)) for call in message.tool_calls)
    return MessageView(
        role=message.role, label=label, block=block(label, mask_text(text)), calls=calls
    )
