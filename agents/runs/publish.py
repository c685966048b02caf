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


def publish_events(conversation_id: UUID, run_id: UUID, events: list[dict[str, Any]]) -> None:
    """Send stored events (each with seq, seq_to, event) to the conversation's sockets."""
    message = {"type": "run.events", "run_id": str(run_id), "events": events}
    _publisher.submit(_send(group_of(conversation_id), message))


def publish_deletion(conversation_id: UUID) -> None:
    """Tell the conversation's sockets that it is gone."""
    _publisher.submit(_send(group_of(conversation_id), {"type": "conversation.deleted"}))


async def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        await layer.group_send(group, message)
    except (OSError, ConnectionError) as error:
        logger.warning("Sockets could not be told (%s); they will read the rows.", error)
