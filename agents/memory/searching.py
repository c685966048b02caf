"""Searches of one's own: memories, and what was said in earlier conversations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from accounts.access import Actor, visible
from agents.constants import MemoryState
from agents.memory.ranking import rank
from agents.memory.sources import readable
from agents.memory.texts import terms_of
from agents.memory.vectors import VectorsUnavailable
from agents.models import Conversation, MemoryItem, Message
from agents.tracing.closed import closed_runs, documents_read

SNIPPET_CHARACTERS = 400
CANDIDATES = 400
"""Newest messages with one of the words that are looked at."""
READ_CHARACTERS = 20_000
"""Of one message; what stands behind is not searched."""


@dataclass(frozen=True, kw_only=True)
class SaidBefore:
    """A message of an earlier conversation that fits."""

    conversation_id: UUID
    title: str
    at: datetime
    role: str
    snippet: str
    document_ids: tuple[UUID, ...] = ()
    """What an answer rests on."""


def search_items(actor: Actor, *, query: str, limit: int) -> list[MemoryItem]:
    """Return the actor's own memories that fit, best first; what is about hidden sources is left out."""
    rows = visible(actor, "view", MemoryItem.objects.filter(state=MemoryState.ACTIVE))
    items, _hidden = readable(actor, rows)
    try:
        found = rank(query, items)
    except VectorsUnavailable:
        found = rank(query, items, by_meaning=False)
    return found[:limit]


def search_said(
    actor: Actor, *, query: str, limit: int, without: UUID | None = None
) -> list[SaidBefore]:
    """Search the actor's own conversations by words; one message a conversation, best first.

    Args:
        actor: whose conversations.
        query: words, in any language.
        limit: the most that are returned.
        without: a conversation that is left out: the present one.
    """
    words = _needles(query)
    if not words:
        return []
    conversations = visible(actor, "view", Conversation.objects.filter(is_internal=False))
    if without is not None:
        conversations = conversations.exclude(pk=without)
    rows = Message.objects.filter(conversation__in=conversations)
    condition = Q()
    for word in words:
        condition |= Q(text__icontains=word)
    newest = rows.filter(condition).select_related("conversation", "answered_run")
    candidates = _open_ones(actor, list(newest.order_by("-created_at")[:CANDIDATES]))
    chosen: dict[UUID, Message] = {}
    for message in _ranked(query, candidates):
        chosen.setdefault(message.conversation_id, message)
        if len(chosen) == limit:
            break
    read = documents_read([run for each in chosen.values() if (run := _run_of(each))])
    return [
        _said(each, words, read.get(_run_of(each) or each.pk, set())) for each in chosen.values()
    ]


def _open_ones(actor: Actor, messages: Sequence[Message]) -> list[Message]:
    """Leave out answers whose sources are closed to the actor now."""
    closed = closed_runs(actor, [run for each in messages if (run := _run_of(each))])
    return [each for each in messages if _run_of(each) not in closed]


def _run_of(message: Message) -> UUID | None:
    """Return the run that gave the answer; None for a question."""
    run = getattr(message, "answered_run", None)
    return run.pk if run is not None else None


def _needles(query: str) -> list[str]:
    """Return the longest terms and words of the query; stems find their inflected forms."""
    words = {each for each in query.casefold().split() if len(each) > 2}
    return sorted(terms_of(query) | words, key=lambda word: (-len(word), word))[:12]


def _ranked(query: str, messages: Sequence[Message]) -> list[Message]:
    wanted = terms_of(query)
    terms = [terms_of(message.text[:READ_CHARACTERS]) & wanted for message in messages]
    counts = Counter(term for found in terms for term in found)
    weight = {term: math.log(1 + len(messages) / count) for term, count in counts.items()}
    scored = [
        (sum(weight[term] for term in found), message)
        for found, message in zip(terms, messages, strict=True)
        if found
    ]
    scored.sort(key=lambda pair: (-pair[0], -pair[1].created_at.timestamp()))
    return [message for _, message in scored]


def _said(message: Message, words: Sequence[str], read: set[UUID]) -> SaidBefore:
    return SaidBefore(
        conversation_id=message.conversation_id,
        title=str(message.conversation),
        at=message.created_at,
        role=message.role,
        snippet=snippet_of(message.text, words),
        document_ids=tuple(sorted(read)),
    )


def snippet_of(text: str, words: Sequence[str]) -> str:
    """Return the stretch of the text around the first of the words, on one line."""
    line = " ".join(text.split())
    lower = line.lower()  # as long as `line`, unlike its casefold
    places = [place for word in words if (place := lower.find(word)) >= 0]
    begin = max(0, min(places, default=0) - SNIPPET_CHARACTERS // 4)
    end = begin + SNIPPET_CHARACTERS
    cut = line[begin:end].strip()
    return ("…" if begin else "") + cut + ("…" if end < len(line) else "")
