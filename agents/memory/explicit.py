"""Carries out "remember that …" of a question: no model, at once, once."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from accounts.access import Actor
from agents.configuration import AgentConfig
from agents.constants import MemoryOrigin
from agents.memory.background import embed_soon
from agents.memory.items import Draft, write_item
from agents.memory.owners import own_memory
from agents.memory.phrases import wish_in
from agents.memory.sources import documents_behind
from agents.memory.switches import memory_of
from agents.models import AgentRun, MemoryItem

_KEPT = "The platform keeps this for later conversations: {text}. Say so in a few words."
_REFUSED = "The person asked to remember something, but it was not kept: {reason}. Tell them."


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What came of a wish to remember."""

    item: MemoryItem | None = None
    reason: str = ""
    """Why nothing is kept, for people."""

    def for_model(self) -> str:
        """Return a line for the question's runtime context."""
        if self.item is not None:
            line = _KEPT.format(text=escape(f"“{self.item.text}”"))
        else:
            line = _REFUSED.format(reason=escape(self.reason.rstrip(".")))
        return f"<memory_note>{line}</memory_note>"


def remember_wish(actor: Actor, run: AgentRun, config: AgentConfig) -> Remembered | None:
    """Keep what the run's question asks to remember; None when it asks for nothing.

    A run that is prepared a second time finds its item and writes nothing.
    """
    if run.depth or run.conversation.is_internal:
        return None  # an agent's question to another agent is nobody's wish
    wish = wish_in(run.question.text)
    if wish is None:
        return None
    access = memory_of(actor, config)
    if not access.is_on:
        return Remembered(reason=access.refusal)
    there = MemoryItem.objects.filter(
        message_id=run.question_id, origin=MemoryOrigin.EXPLICIT
    ).first()
    if there is not None:
        return Remembered(item=there)
    draft = Draft(
        kind=wish.kind,
        text=wish.text,
        topic=wish.topic,
        importance=4,
        origin=MemoryOrigin.EXPLICIT,
        conversation_id=run.conversation_id,
        message_id=run.question_id,
        document_ids=documents_behind(run.question, text=wish.text, kind=wish.kind),
    )
    owner = own_memory(actor, reads_from=run.question.created_at)
    written = write_item(owner, draft)
    embed_soon(owner)
    return Remembered(item=written.item, reason=written.reason)
