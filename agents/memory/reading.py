"""A person's memory as they see it: the page, the export, and what stands behind an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from accounts.access import Actor, require, visible
from agents.constants import MemoryOrigin, MemoryState
from agents.memory.background import embed_soon
from agents.memory.familiar import familiar_documents
from agents.memory.items import Draft, Written, write_item
from agents.memory.owners import own_memory
from agents.memory.phrases import wish_in
from agents.memory.sources import readable
from agents.memory.switches import memory_of
from agents.models import AgentRun, MemoryItem, MemoryTopic, MemoryUse


@dataclass(frozen=True, kw_only=True)
class OwnMemory:
    """Everything that is remembered of the actor."""

    items: tuple[MemoryItem, ...]
    """Those in use, to be confirmed, or set aside; replaced ones aren't shown."""
    hidden: tuple[MemoryItem, ...]
    """About sources that the actor may not see now: only their existence is shown."""
    topics: tuple[MemoryTopic, ...]


@dataclass(kw_only=True)
class RunMemories:
    """What memory did for one answer."""

    used: list[MemoryItem] = field(default_factory=list)
    remembered: MemoryItem | None = None
    """What the question asked to remember."""
    refusal: str = ""
    """Why that was not done."""


def read_memory(actor: Actor) -> OwnMemory:
    """Return the actor's own memory; nobody else's is ever read."""
    rows = visible(actor, "view", MemoryItem.objects.exclude(state=MemoryState.SUPERSEDED))
    shown, hidden = readable(actor, rows.select_related("conversation"))
    topics = visible(actor, "view", MemoryTopic.objects.filter(is_promoted=False))
    topics = topics.order_by("-updated_at")
    return OwnMemory(items=tuple(shown), hidden=tuple(hidden), topics=tuple(topics[:60]))


def add_item(actor: Actor, draft: Draft) -> Written:
    """Remember something that the actor wrote on the page."""
    owner = own_memory(actor)
    require(actor, "change", owner)
    written = write_item(owner, draft)
    embed_soon(owner)
    return written


def export_memory(actor: Actor) -> dict[str, Any]:
    """Return the actor's own memory as JSON; what is about hidden sources is left out."""
    memory = read_memory(actor)
    return {
        "exported_at": timezone.now().isoformat(),
        "items": [_exported(item) for item in memory.items],
        "left_out_for_missing_access": len(memory.hidden),
        "topics": [
            {"name": topic.name, "conversations": len(topic.conversation_ids)}
            for topic in memory.topics
        ],
        "familiar_documents": [
            {"id": str(each.document_id), "name": each.name, "citations": each.citations}
            for each in familiar_documents(actor)
        ],
    }


def memories_of_runs(actor: Actor, runs: Sequence[AgentRun]) -> dict[UUID, RunMemories]:
    """Return what memory did for each answer, for its own person alone."""
    own = [run for run in runs if run.user_id == actor.user_id]
    found: defaultdict[UUID, RunMemories] = defaultdict(RunMemories)
    uses = list(MemoryUse.objects.filter(run__in=own).select_related("item__owner").order_by("pk"))
    rows = MemoryItem.objects.filter(pk__in={use.item_id for use in uses})
    seen = {item.pk for item in readable(actor, visible(actor, "view", rows))[0]}
    for use in uses:
        if use.item_id in seen:
            found[use.run_id].used.append(use.item)
    _add_wishes(actor, own, found)
    return dict(found)


def _add_wishes(
    actor: Actor, runs: Sequence[AgentRun], found: defaultdict[UUID, RunMemories]
) -> None:
    wishing = [run for run in runs if wish_in(run.question.text) is not None]
    if not wishing:
        return
    rows = MemoryItem.objects.filter(
        message__in=[run.question_id for run in wishing], origin=MemoryOrigin.EXPLICIT
    )
    by_question = {
        item.message_id: item for item in readable(actor, visible(actor, "view", rows))[0]
    }
    for run in wishing:
        item = by_question.get(run.question_id)
        if item is not None:
            found[run.pk].remembered = item
        elif run.agent is not None:
            refusal = memory_of(actor, run.agent.settings).refusal
            if refusal:
                found[run.pk].refusal = refusal


def _exported(item: MemoryItem) -> dict[str, Any]:
    return {
        "id": str(item.pk),
        "kind": item.kind,
        "topic": item.topic,
        "text": item.text,
        "importance": item.importance,
        "origin": item.origin,
        "state": item.state,
        "created_at": item.created_at.isoformat(),
        "updated_at": item.updated_at.isoformat(),
        "expires_at": item.expires_at.isoformat() if item.expires_at else None,
        "uses": item.use_count,
        "conversation_id": str(item.conversation_id) if item.conversation_id else None,
        "document_ids": item.document_ids,
    }
