"""The broker's transport keeps no account of messages that are being handled."""

from __future__ import annotations

from typing import Any

import redis

from core.jobs.enqueue import WAKE_TASK
from weknora_site.broker import Transport
from weknora_site.celery import app

QUEUE = "tests-of-the-broker"


def take(connection: Any) -> Any:
    """Send a wake-up and take it as a worker does."""
    assert isinstance(connection.transport, Transport)
    with connection.Producer() as producer:
        app.send_task(WAKE_TASK, args=["runs"], queue=QUEUE, producer=producer)
    message = connection.default_channel.basic_get(QUEUE, no_ack=False)
    assert message is not None
    return message


def test_a_wake_up_that_is_taken_leaves_nothing_behind(broker: str) -> None:
    with app.connection_for_write(broker) as connection, redis.Redis.from_url(broker) as client:
        message = take(connection)
        assert not client.keys("*unacked*")
        message.ack()
        assert client.llen(QUEUE) == 0


def test_a_wake_up_that_a_worker_does_not_take_is_let_go(broker: str) -> None:
    with app.connection_for_write(broker) as connection, redis.Redis.from_url(broker) as client:
        take(connection).requeue()
        assert client.llen(QUEUE) == 0
