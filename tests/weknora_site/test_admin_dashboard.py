"""The first page of the admin site counts what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import redis
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.models import ModelUsage
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope
from tests.contracts.world import make_world
from tests.factories.accounts import make_user
from tests.personas import LOGIN_BACKEND, Persona
from weknora_site import dashboard
from weknora_site.heartbeats import WorkerBeat


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> None:
    beat = WorkerBeat(name="runs", queues=("runs", "default"), host="here", pid=7, scheduler=True)
    monkeypatch.setattr(dashboard, "live_workers", lambda: [beat])


def test_figures_are_those_of_the_rows(
    olivia: Persona, mallory: Persona, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    world = make_world({"olivia": olivia, "mallory": mallory})
    with space_scope(world.space.pk):
        ModelUsage.objects.create(
            space=world.space,
            model_name="m",
            purpose="answer",
            input_tokens=100,
            output_tokens=20,
            cost="0.5",
        )
    BackgroundJob.objects.create(name="a", queue="ingest")
    BackgroundJob.objects.create(
        name="b", queue="ingest", state=JobState.FAILED, ended_at=timezone.now()
    )
    shown = dashboard.read_dashboard()
    assert sum(tile.number for tile in shown.documents) == 1
    assert sum(tile.number for tile in shown.runs) >= 1
    assert len(shown.days) == dashboard.DAYS
    assert shown.days[-1].tokens >= 120
    assert f"{shown.days[-1].cost:.1f}" == "0.5"
    queues = {row.name: row for row in shown.queues}
    ingest = queues["ingest"]
    assert (ingest.waiting, ingest.failed_today, ingest.workers) == (2, 1, 0), (
        "one is queued above, one indexes the entries of the world's questions"
    )
    assert queues["default"].workers == 1
    assert [job.name for job in shown.failures] == ["b"]


def test_the_page_opens_in_the_theme(db: None) -> None:
    client = Client()
    user = make_user("root@example.org", is_superuser=True, is_staff=True)
    client.force_login(user, backend=LOGIN_BACKEND)
    page = client.get(reverse("admin:index")).content.decode()
    for part in ("Documents by state", "here:7", "Access lens", "System settings"):
        assert part in page


def test_a_broker_that_is_away_is_said(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise redis.ConnectionError("away")

    monkeypatch.setattr(dashboard, "live_workers", away)
    assert not dashboard.read_dashboard().broker_answers
