"""How much a space may store: counted by the database, asked at every upload."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import Space, StorageUse
from accounts.services.quota import GIGABYTE, recount, require_storage, storage_of
from agents.models import Artifact
from core.errors import LimitReached
from knowledge.models import Document, KnowledgeBase
from knowledge.services.documents import add_document
from tests.factories.agents import make_conversation, make_run
from tests.factories.artifacts import make_artifact
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _own_store(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def base(olivia: Persona) -> KnowledgeBase:
    return make_base(olivia.space, name="Hangar")


def limit(space: Space, size: int | None) -> None:
    Space.objects.filter(pk=space.pk).update(storage_quota_bytes=size)
    space.refresh_from_db()


def used(persona: Persona) -> int:
    return storage_of(persona.space).used_bytes


def add(persona: Persona, base: KnowledgeBase, *, name: str, size: int) -> Document:
    with persona.scope():
        content = BytesIO(name.encode().ljust(size, b"x"))
        return add_document(persona.actor, base_id=base.pk, name=name, content=content)


def test_files_count_with_their_rows(
    olivia: Persona, mallory: Persona, base: KnowledgeBase
) -> None:
    assert used(olivia) == 0
    first = add(olivia, base, name="a.txt", size=700)
    add(olivia, base, name="b.txt", size=300)
    assert (used(olivia), used(mallory)) == (1000, 0)
    with olivia.scope():
        Document.objects.filter(pk=first.pk).delete()
        assert used(olivia) == 300
        Document.objects.all().delete()
    assert used(olivia) == 0


def test_what_agents_make_counts_too(olivia: Persona) -> None:
    run = make_run(make_conversation(olivia.space, user=olivia.user))
    made = make_artifact(run)
    assert used(olivia) == made.size > 0
    with olivia.scope():
        Artifact.objects.all().delete()
    assert used(olivia) == 0


def test_an_upload_over_the_quota_says_used_limit_and_who_can_raise_it(
    olivia: Persona, base: KnowledgeBase
) -> None:
    limit(olivia.space, 1000)
    add(olivia, base, name="a.txt", size=600)
    with pytest.raises(LimitReached, match="600.bytes of the 1000.bytes.*administrator") as refusal:
        add(olivia, base, name="b.txt", size=401)
    assert refusal.value.data == {"used_bytes": 600, "quota_bytes": 1000}
    add(olivia, base, name="c.txt", size=400)


def test_the_page_of_a_base_tells_the_person(olivia: Persona, base: KnowledgeBase) -> None:
    limit(olivia.space, 10)
    url = reverse("base_upload", args=[base.pk])
    file = SimpleUploadedFile("a.txt", b"more than ten bytes")
    response = olivia.client.post(url, {"file": file}, headers={"Accept": "application/json"})
    assert response.status_code == 429
    assert "administrator of the installation" in response.content.decode()
    assert used(olivia) == 0


def test_two_uploads_cannot_share_the_last_gap(
    olivia: Persona, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(olivia.space, 1000)
    monkeypatch.setattr(
        "knowledge.services.documents.check_size", lambda *_: 0
    )  # as if the other one had not counted yet when this one asked
    add(olivia, base, name="a.txt", size=900)
    with pytest.raises(LimitReached):
        add(olivia, base, name="b.txt", size=900)
    assert used(olivia) == 900


@pytest.mark.parametrize(
    ("own", "default_gb", "quota"),
    [(None, 10, 10 * GIGABYTE), (5, 10, 5), (0, 10, 0), (None, 0, 0)],
    ids=["the default", "its own", "no limit of its own", "no limit at all"],
)
def test_a_space_has_its_own_quota_or_the_installations(
    olivia: Persona, settings: Any, own: int | None, default_gb: int, quota: int
) -> None:
    settings.DEFAULT_QUOTA_GB = default_gb
    limit(olivia.space, own)
    assert storage_of(olivia.space).quota_bytes == quota
    if not quota:
        require_storage(olivia.space.pk, more_bytes=10**18)


def test_a_wrong_count_is_put_right(olivia: Persona, base: KnowledgeBase) -> None:
    add(olivia, base, name="a.txt", size=700)
    with olivia.scope():
        StorageUse.objects.update(used_bytes=1)
        assert recount(olivia.space.pk) == 1 - 700
        row = StorageUse.objects.get()
    assert (row.used_bytes, row.counted_at is not None) == (700, True)
    assert recount(olivia.space.pk) == 0


def test_a_space_without_files_is_counted(mallory: Persona) -> None:
    assert recount(mallory.space.pk) == 0
    assert storage_of(mallory.space).percent == 0


def test_many_rows_of_one_statement_count_once_each(olivia: Persona, base: KnowledgeBase) -> None:
    for number in range(3):
        make_document(base, name=f"{number}.txt", texts=["x"])
    with olivia.scope():
        total = sum(Document.objects.values_list("size_bytes", flat=True))
    assert used(olivia) == total
