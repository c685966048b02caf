"""The canaries of `benchmarks/canaries.py`, a few hundred calls of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django import Settings

from benchmarks._canary_world import CanaryWorld, Person, Secret
from benchmarks.canaries import Findings, play
from tests.knowledge.search_models import WordModel

CALLS = 300


@pytest.fixture
def found(
    transactional_db: None,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Findings:
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: WordModel())
    monkeypatch.setattr("celery.current_app.send_task", lambda *_, **__: None)
    return play(calls=CALLS, documents=60, seed=20261130)


def test_nobody_is_shown_a_secret_that_is_not_theirs_to_see(found: Findings) -> None:
    assert found.leaks == []
    assert found.changes == CALLS // 20
    seen = {name for name, count in found.sightings.items() if count}
    assert len(seen) >= 20, f"too few doors showed anything to anybody: {sorted(seen)}"


def test_a_leak_would_be_seen() -> None:
    """The oracle itself: a secret shown to somebody outside is a leak, what they sent is not."""
    secret = Secret(
        number=1,
        document_id=None,  # type: ignore[arg-type]  # no row is needed
        base_id="base",  # type: ignore[arg-type]  # the same
        space_id=1,
        folder="",
        text="zq" + "a" * 14,
        name="zq" + "b" * 14,
    )
    world = CanaryWorld.__new__(CanaryWorld)
    world.by_token = {secret.text: secret, secret.name: secret}
    nobody = Person(name="x", user=None, space_id=None, role=None, client=None, state="stranger")  # type: ignore[arg-type]  # calls nobody
    assert world.leaks(nobody, "", f"… {secret.text} …") == [secret.text]
    assert world.leaks(nobody, secret.text, f"… {secret.text} …") == []


def test_a_product_without_walls_is_found_out(
    transactional_db: None,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The test of the test: with the policy's denial taken away, many answers leak."""
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: WordModel())
    monkeypatch.setattr("celery.current_app.send_task", lambda *_, **__: None)
    monkeypatch.setattr("knowledge.policies.wall_clauses", lambda actor: ())
    assert len(play(calls=160, documents=40, seed=11).leaks) > 5
