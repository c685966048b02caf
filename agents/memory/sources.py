"""What a memory says about documents, and who may still read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import QuerySet

from accounts.access import Actor, visible
from agents.constants import MemoryKind, MessageRole
from agents.memory.texts import share_within, terms_of
from agents.models import MemoryItem, Message
from knowledge.models import Document, EvidenceRow

SHARED_TERMS = 1 / 3
"""An item with so many of its terms in a passage says something about its document."""
ABOUT_THE_WORLD = (MemoryKind.FACT, MemoryKind.TASK)


def documents_behind(message: Message, *, text: str, kind: str) -> tuple[str, ...]:
    """Return ids of the documents from which the person may have the words.

    These are the sources of the answer before the message (all of them when the item is about the
    world rather than the person) and of the answer to it, where item and passage share terms.
    """
    before = _answers(message).filter(position__lt=message.position).order_by("-position").first()
    after = _answers(message).filter(position__gt=message.position).order_by("position").first()
    terms = terms_of(text)
    found: dict[str, None] = {}
    for answer, takes_all in ((before, kind in ABOUT_THE_WORLD), (after, False)):
        for row in _evidence(answer):
            if takes_all or share_within(terms, terms_of(row.text)) >= SHARED_TERMS:
                found[str(row.document_id)] = None
    return tuple(found)


def link_sources(message: Message) -> None:
    """Add the sources of the answer to what a question asked to remember."""
    for item in MemoryItem.objects.filter(message=message):
        behind = documents_behind(message, text=item.text, kind=item.kind)
        joined = list(dict.fromkeys([*item.document_ids, *behind]))
        if joined != item.document_ids:
            MemoryItem.objects.filter(pk=item.pk).update(document_ids=joined)


def readable(
    actor: Actor, items: Iterable[MemoryItem]
) -> tuple[list[MemoryItem], list[MemoryItem]]:
    """Split items into those the actor may read and those about sources they may not see now."""
    rows = list(items)
    seen = visible_documents(actor, (each for row in rows for each in row.document_ids))
    shown = [row for row in rows if set(row.document_ids) <= seen]
    return shown, [row for row in rows if not set(row.document_ids) <= seen]


def visible_documents(actor: Actor, document_ids: Iterable[str]) -> set[str]:
    """Return those of the ids whose documents the actor may see now."""
    wanted = {UUID(each) for each in document_ids}
    if not wanted:
        return set()
    rows = visible(actor, "view", Document.objects.filter(pk__in=wanted))
    return {str(pk) for pk in rows.values_list("pk", flat=True)}


def _answers(message: Message) -> QuerySet[Message]:
    return Message.objects.filter(
        conversation_id=message.conversation_id, role=MessageRole.ASSISTANT
    )


def _evidence(answer: Message | None) -> Sequence[EvidenceRow]:
    return [] if answer is None else list(EvidenceRow.objects.filter(origin_id=answer.pk))
