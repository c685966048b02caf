"""Subjects a person comes back to; often enough, and one becomes an interest."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from agents.constants import MemoryKind, MemoryOrigin
from agents.memory.items import Draft, write_item
from agents.memory.owners import locked
from agents.memory.redaction import redact
from agents.memory.texts import TOPIC_CHARACTERS, key_of, one_line
from agents.models import MemoryOwner, MemorySettings, MemoryTopic
from core.errors import NotFound

PROMOTE_AFTER = 3
KEPT_CONVERSATIONS = 50
TOPICS = 200


def count_topics(owner: MemoryOwner, names: Iterable[str], *, conversation_id: UUID) -> None:
    """Count subjects of a conversation, each once a conversation; promote those that recur."""
    promote_after = MemorySettings.objects.values_list("promote_after", flat=True).first()
    for name in names:
        shown = one_line(redact(name).text, limit=TOPIC_CHARACTERS)
        key = key_of(shown)
        if not key or "redacted" in key:
            continue
        topic = _counted(owner, key, shown, str(conversation_id))
        if not topic.is_promoted and len(topic.conversation_ids) >= (
            promote_after or PROMOTE_AFTER
        ):
            _promote(topic)
    surplus = MemoryTopic.objects.filter(owner=owner, is_promoted=False).order_by("-updated_at")
    MemoryTopic.objects.filter(pk__in=list(surplus.values_list("pk", flat=True)[TOPICS:])).delete()


def promote_topic(actor: Actor, *, topic_id: int) -> MemoryTopic:
    """Make a subject an interest now.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    topic = _own_topic(actor, topic_id)
    require(actor, "change", topic)
    with transaction.atomic():
        locked(topic.owner)
        _promote(topic, says_person=True)
    return topic


def delete_topic(actor: Actor, *, topic_id: int) -> None:
    """Forget how often a subject came up; an interest it became stays until it is forgotten.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    topic = _own_topic(actor, topic_id)
    require(actor, "delete", topic)
    topic.delete()


def _own_topic(actor: Actor, topic_id: int) -> MemoryTopic:
    rows = MemoryTopic.objects.filter(pk=topic_id).select_related("owner")
    topic = visible(actor, "view", rows).first()
    if topic is None:
        raise NotFound(_("There is no such topic."))
    return topic


def _counted(owner: MemoryOwner, key: str, name: str, conversation_id: str) -> MemoryTopic:
    topic, _created = MemoryTopic.objects.get_or_create(
        owner=owner, key=key, defaults={"space_id": owner.space_id, "name": name}
    )
    if conversation_id not in topic.conversation_ids:
        ids = [*topic.conversation_ids, conversation_id]
        topic.conversation_ids = ids[-KEPT_CONVERSATIONS:]
        topic.save()
    return topic


def _promote(topic: MemoryTopic, *, says_person: bool = False) -> None:
    topic.is_promoted = True
    topic.save()
    origin = MemoryOrigin.MANUAL if says_person else MemoryOrigin.EXTRACTED
    draft = Draft(kind=MemoryKind.INTEREST, text=topic.name, topic=topic.name, origin=origin)
    write_item(topic.owner, draft)
