"""Tells the sockets of a conversation what a run did, once it is stored.

Publication is at most once: a socket that missed something reads it from the rows by its number.
"""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer

from core.aio import LoopThread

logger = logging.getLogger(__name__)
_publisher = LoopThread("publisher")


def group_of(conversation_id: UUID) -> str:
    """Return the name of the channel group that a conversation's sockets join."""
    return f"conversation.{conversation_id}"


def group_of_person(user_id: int) -> str:
    """Return the name of the channel group that all of a person's sockets join."""
    return f"person.{user_id}"


def publish_events(conversation_id: UUID, run_id: UUID, events: list[dict[str, Any]]) -> None:
    """Send stored events (each with seq, seq_to, event) to the conversation's sockets."""
    message = {"type": "run.events", "run_id": str(run_id), "events": events}
    _publisher.submit(_send(group_of(conversation_id), message))


def publish_deletion(conversation_id: UUID) -> None:
    """Tell the conversation's sockets that it is gone."""
    _publisher.submit(_send(group_of(conversation_id), {"type": "conversation.deleted"}))


def publish_actor_change(user_id: int) -> None:
    """Tell a person's sockets that what they may do has changed."""
    _publisher.submit(_send(group_of_person(user_id), {"type": "actor.changed"}))


def publish_decision(conversation_id: UUID, run_id: UUID, approval_id: UUID) -> None:
    """Tell the conversation's sockets that a waiting call is decided, before the run goes on."""
    message = {
        "type": "approval.decided",
        "run_id": str(run_id),
        "approval_id": str(approval_id),
    }
    _publisher.submit(_send(group_of(conversation_id), message))


def publish(conversation_id: UUID, message: dict[str, Any]) -> None:
    """Send a message to the conversation's sockets; its type names the consumer's method."""
    _publisher.submit(_send(group_of(conversation_id), message))


async def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        await layer.group_send(group, message)
    except (OSError, ConnectionError) as error:
        logger.warning("Sockets could not be told (%s); they will read the rows.", error)
