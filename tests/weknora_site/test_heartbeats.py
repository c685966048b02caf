from __future__ import annotations

import threading

import redis

from core.embedded.processes import wait_until
from weknora_site.heartbeats import beat, beat_until, live_workers, own_beat


def test_worker_is_alive_until_it_stops(broker):
    stop = threading.Event()
    me = own_beat("runs", queues=("runs",), scheduler=True)
    thread = threading.Thread(target=beat_until, args=(stop, me))
    thread.start()
    assert wait_until(lambda: live_workers() == [me], timeout_seconds=5)
    stop.set()
    thread.join(timeout=5)
    assert live_workers() == []


def test_killed_worker_is_forgotten_by_itself(broker):
    with redis.Redis.from_url(broker) as client:
        beat(client, own_beat("runs", queues=("runs",), scheduler=False))
        key = client.keys("weknora:worker:*")[0]
        assert 0 < client.ttl(key) <= 15


def test_broker_that_is_away_does_not_end_the_beat(broker, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    stop = threading.Event()
    thread = threading.Thread(
        target=beat_until, args=(stop, own_beat("x", queues=(), scheduler=False))
    )
    thread.start()
    thread.join(timeout=0.5)
    assert thread.is_alive()
    stop.set()
    thread.join(timeout=5)
    assert not thread.is_alive()
