"""Health as a monitor sees it: status, reasons, and nothing that is nobody's business."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import redis
from django.db import OperationalError
from django.test import Client

from weknora_site import health
from weknora_site.health import Check
from weknora_site.heartbeats import WorkerBeat, beat

pytestmark = pytest.mark.django_db(transaction=True)


def ready() -> tuple[int, dict[str, Any]]:
    response = Client().get("/health/ready")
    return response.status_code, json.loads(response.content)["checks"]


def worker(name: str, *queues: str, scheduler: bool = False) -> WorkerBeat:
    return WorkerBeat(name=name, queues=queues, host="here", pid=hash(name), scheduler=scheduler)


@pytest.fixture
def all_well(broker, settings):
    """Workers that beat, and no built-in models."""
    settings.LOCAL_MODELS_ENABLED = False
    with redis.Redis.from_url(broker) as client:
        beat(client, worker("runs", "runs", "default", "enrich", scheduler=True))
        beat(client, worker("ingest", "ingest"))
    return broker


def test_live_needs_nothing(monkeypatch):
    monkeypatch.setattr(health, "CHECKS", {"database": lambda: Check(ok=False)})
    assert Client().get("/health/live").json() == {"status": "live"}


def test_ready_says_200_when_every_part_can_work(all_well):
    status, checks = ready()
    assert (status, {name for name, check in checks.items() if not check["ok"]}) == (200, set())
    assert set(checks) == {*("database", "extensions", "migrations", "broker", "workers", "models")}


def test_missing_worker_is_named_by_its_queue(broker, settings):
    settings.LOCAL_MODELS_ENABLED = False
    with redis.Redis.from_url(broker) as client:
        beat(client, worker("runs", "runs", "default", "enrich", scheduler=True))
    status, checks = ready()
    assert status == 503
    assert checks["workers"]["reason"] == "no live worker serves: ingest"


def test_queue_of_enrichment_is_missed_as_well(broker, settings):
    settings.LOCAL_MODELS_ENABLED = False
    with redis.Redis.from_url(broker) as client:
        beat(client, worker("runs", "runs", "default", scheduler=True))
        beat(client, worker("ingest", "ingest"))
    assert ready()[1]["workers"]["reason"] == "no live worker serves: enrich"


def test_missing_scheduler_is_named(broker, settings):
    settings.LOCAL_MODELS_ENABLED = False
    with redis.Redis.from_url(broker) as client:
        beat(client, worker("all", "runs", "default", "ingest", "enrich"))
    assert ready()[1]["workers"]["reason"] == "no worker runs the scheduler"


def test_pending_migration_is_named(all_well, monkeypatch):
    monkeypatch.setattr(health, "pending_migrations", lambda: ["wiki.0002_pages"])
    status, checks = ready()
    assert status == 503
    assert "wiki.0002_pages" in checks["migrations"]["reason"]


def test_missing_extension_is_named(all_well, monkeypatch):
    monkeypatch.setattr(health, "missing_extensions", lambda: ["the extension vector is missing"])
    assert ready()[1]["extensions"] == {
        "ok": False,
        "reason": "the extension vector is missing",
        "detail": {},
    }


def test_broker_that_is_away_costs_two_checks_and_no_500(all_well, settings):
    settings.REDIS_URL = "redis://:secretpw@127.0.0.1:1/0"
    response = Client().get("/health/ready")
    checks = response.json()["checks"]
    assert response.status_code == 503
    assert {name for name, check in checks.items() if not check["ok"]} == {"broker", "workers"}
    assert "secretpw" not in response.content.decode()


def test_database_that_is_away_gives_a_reason_without_its_address(all_well, monkeypatch):
    def away() -> Check:
        raise OperationalError("connection to 10.1.2.3 failed: password secretpw")

    monkeypatch.setitem(health.CHECKS, "database", away)
    response = Client().get("/health/ready")
    assert response.json()["checks"]["database"]["reason"] == "the database does not answer"
    assert "secretpw" not in response.content.decode()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (httpx.Response(503), "answers 503 (still loading?)"),
        (httpx.ConnectError("refused"), "does not answer"),
        (httpx.ReadTimeout("slow"), "does not answer"),
    ],
    ids=["loading", "away", "slow"],
)
def test_model_server_that_cannot_work_is_named(all_well, settings, monkeypatch, answer, reason):
    def get(*args: Any, **kwargs: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    settings.LOCAL_MODELS_ENABLED = True
    monkeypatch.setattr(httpx, "get", get)
    status, checks = ready()
    assert status == 503
    assert reason in checks["models"]["reason"]


def test_check_that_hangs_is_given_up(all_well, monkeypatch):
    import threading

    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.2)
    release = threading.Event()

    def hang() -> Check:
        release.wait(30)
        return Check(ok=True)

    monkeypatch.setitem(health.CHECKS, "models", hang)
    status, checks = ready()
    release.set()
    assert status == 503
    assert "no answer within" in checks["models"]["reason"]


def test_nobody_caches_the_answer(all_well):
    assert "no-store" in Client().get("/health/ready")["Cache-Control"]


def test_answer_is_for_reading_only():
    assert Client().post("/health/live").status_code == 405
