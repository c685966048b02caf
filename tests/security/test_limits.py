"""Limits by minute: what is refused, how it is told, and for whom it counts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.actors import system_actor
from accounts.limits import limit_actor
from core.errors import LimitReached
from knowledge.models import KnowledgeBase
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

ASKED: dict[str, str | int] = {"question": "rent", "limit": 5, "rerank": "never"}


@pytest.fixture(autouse=True)
def _two_a_minute(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    settings.LIMITS_PER_MINUTE = {"ask": 2, "search": 2, "upload": 2}
    monkeypatch.setattr(
        "accounts.limits.time", SimpleNamespace(time=lambda: 1_000_000_060.0)
    )  # 40 s into a minute


@pytest.fixture
def base(cora: Persona) -> KnowledgeBase:
    return make_base(cora.space, created_by=cora.user)


def test_searching_too_often_is_told_on_a_page_with_when_to_come_back(
    base: KnowledgeBase, cora: Persona
) -> None:
    url = reverse("base_search", args=[base.pk])
    answers = [cora.client.get(url, ASKED) for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "20"
    text = answers[2].content.decode()
    assert "That was too much at once" in text
    assert "Try again in 20 seconds." in text


def test_json_is_told_in_json(base: KnowledgeBase, cora: Persona) -> None:
    url = reverse("base_search", args=[base.pk])
    for _ in range(2):
        cora.client.get(url, ASKED)
    refused = cora.client.get(url, ASKED, headers={"Accept": "application/json"})
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "limit_reached"
    assert refused.json()["error"]["data"] == {"retry_after_seconds": 20}


def test_uploading_too_often_is_refused(
    base: KnowledgeBase, cora: Persona, settings: Settings, tmp_path: object
) -> None:
    settings.MEDIA_ROOT = tmp_path
    url = reverse("base_upload", args=[base.pk])
    answers = [
        cora.client.post(
            url, {"file": SimpleUploadedFile(f"{n}.txt", b"x%d" % n)}, headers={"Accept": "*/*"}
        )
        for n in range(3)
    ]
    assert [each.status_code for each in answers] == [201, 201, 429]
    assert answers[2].headers["Retry-After"] == "20"


def test_asking_too_often_is_told_at_the_composer(cora: Persona) -> None:
    make_model(cora.space, type="chat", is_default=True)
    make_agent(cora.space)
    url = reverse("chat_new")
    answers = [
        cora.client.post(url, {"text": "Why?", "client_id": str(number)}) for number in range(3)
    ]
    assert [each.status_code for each in answers] == [302, 302, 429]
    assert "Try again in 20 seconds." in answers[2].content.decode()


def test_each_person_and_each_thing_is_counted_apart(cora: Persona, victor: Persona) -> None:
    for _ in range(2):
        limit_actor(cora.actor, "ask")
    with pytest.raises(LimitReached):
        limit_actor(cora.actor, "ask")
    limit_actor(cora.actor, "search")
    limit_actor(victor.actor, "ask")


def test_a_minute_later_it_works_again(cora: Persona, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        limit_actor(cora.actor, "ask")
    monkeypatch.setattr("accounts.limits.time", SimpleNamespace(time=lambda: 1_000_000_081.0))
    limit_actor(cora.actor, "ask")


def test_zero_means_no_limit_and_the_platform_has_none(cora: Persona, settings: Settings) -> None:
    for _ in range(5):
        limit_actor(system_actor(space_id=cora.space.pk), "ask")
    settings.LIMITS_PER_MINUTE = {"ask": 0}
    for _ in range(5):
        limit_actor(cora.actor, "ask")


def test_signing_in_too_often_is_refused_with_when_to_come_back(db: None) -> None:
    client, url = Client(), reverse("account_login")
    statuses = []
    for number in range(40):
        answer = client.post(url, {"login": f"a{number}@example.org", "password": "wrong-wrong"})
        statuses.append(answer.status_code)
        if answer.status_code == 429:
            assert int(answer.headers["Retry-After"]) > 0
            break
    assert statuses[-1] == 429, statuses


def test_files_over_the_limit_are_refused(
    base: KnowledgeBase, cora: Persona, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    answer = cora.client.post(
        reverse("base_upload", args=[base.pk]),
        {"file": SimpleUploadedFile("long.txt", b"x" * 11)},
        headers={"Accept": "*/*"},
    )
    assert answer.status_code == 413
