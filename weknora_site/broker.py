"""The broker's transport: kombu's for Redis, without its account of messages that are being handled.

A message only wakes a worker, and the row it is about is the truth: one that is lost with its worker
is sent again by housekeeping. Kombu would write each message down when it is taken and strike it out
when it is done, which cost more than looking for the job.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class WakeUps(redis.QoS):
    """Keeps what is being handled in memory only."""

    restore_at_shutdown = False

    def append(self, message: Any, delivery_tag: str) -> None:
        """Note a message that was taken."""
        virtual.QoS.append(self, message, delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        """Forget a message that was handled."""
        virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Forget a message that this worker does not take: housekeeping wakes another for its row."""
        virtual.QoS.ack(self, delivery_tag)

    def restore_visible(self, *_: Any, **__: Any) -> None:
        """Do nothing: no message is kept for a worker that died."""


class Channel(redis.Channel):
    """A channel that keeps no account."""

    QoS = WakeUps


class Transport(redis.Transport):
    """What `CELERY_BROKER_TRANSPORT` names."""

    Channel = Channel
