"""Files in an S3-compatible store: the whole way, against a real small server."""

from __future__ import annotations

import io
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from celery import current_app
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage, default_storage, storages
from django.urls import reverse
from moto.server import ThreadedMotoServer

from accounts.platform.erasure import Subject
from accounts.platform.erasure_check import find_text
from core.jobs.work import work
from knowledge.constants import DocumentState
from knowledge.erasure import erase_space
from knowledge.export import original_files
from knowledge.ingest import pipeline
from knowledge.models import Document
from knowledge.services.documents import add_document, delete_document
from knowledge.storage import (
    delete_folder,
    load_json,
    local_copy,
    names_below,
    open_file,
    space_folder,
    store_file,
    store_json,
)
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona
from weknora_site.management.commands.copy_files import copy_files
from weknora_site.storages import file_storages

BUCKET = "files-of-tests"


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The address of an S3 server of this module."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(
    store: str, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    """An empty bucket in which all files of this test are."""
    settings.MEDIA_ROOT = tmp_path
    client = boto3.client(
        "s3",
        endpoint_url=store,
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    )
    client.create_bucket(Bucket=BUCKET)
    settings.STORAGES = configured(store, kind="s3")
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())
    yield store
    for entry in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=entry["Key"])
    client.delete_bucket(Bucket=BUCKET)


def configured(store: str, *, kind: str, **changes: str) -> dict[str, Any]:
    wanted = {
        "bucket": BUCKET,
        "endpoint_url": store,
        "region": "us-east-1",
        "access_key": "key",
        "secret_key": "secret",
        "folder": "weknora",
        "addressing": "path",
        **changes,
    }
    return file_storages(kind=kind, **wanted)


def names() -> list[str]:
    return sorted(names_below(default_storage, ""))


def test_the_same_bytes_are_kept_once_under_their_hash(bucket: str) -> None:
    first, second = (store_file(1, io.BytesIO(b"Ropes.")) for _ in range(2))
    assert first == second
    digest = first.content_hash
    assert names() == [f"spaces/1/files/{digest[:2]}/{digest}"]
    with open_file(1, digest) as file:
        assert file.read() == b"Ropes."
    with local_copy(1, digest) as path:
        assert path.read_bytes() == b"Ropes."
    assert not path.exists()


def test_outputs_of_steps_are_kept_and_missing_ones_are_none(bucket: str) -> None:
    store_json(1, "parsed", "abc", {"a": "ä"})
    assert load_json(1, "parsed", "abc") == {"a": "ä"}
    assert load_json(1, "parsed", "abd") is None


def test_the_folder_of_a_space_goes_and_the_others_stay(bucket: str) -> None:
    store_file(1, io.BytesIO(b"one"))
    store_json(1, "parsed", "abc", 1)
    store_file(11, io.BytesIO(b"two"))
    assert delete_folder(space_folder(1)) == 2
    assert all(name.startswith("spaces/11/") for name in names())


@pytest.mark.django_db(transaction=True)
def test_a_document_is_read_downloaded_and_deleted(bucket: str, olivia: Persona) -> None:
    base = make_base(olivia.space, created_by=olivia.user)
    with olivia.scope():
        document = add_document(
            olivia.actor, base_id=base.pk, name="über <b>.html", content=b"<p>Ropes hang.</p>"
        )
        assert work("ingest")
        document.refresh_from_db()
        assert (document.state, document.reason) == (DocumentState.COMPLETED, "")
        response = olivia.client.get(reverse("document_file", args=[document.pk]))
        assert response.status_code == 302
        link = response.headers["Location"]
        assert link.startswith(bucket)
        assert "X-Amz-Expires=60" in link
        with urllib.request.urlopen(link) as sent:
            assert sent.read() == b"<p>Ropes hang.</p>"
            assert sent.headers["Content-Type"] == "application/octet-stream"
            assert sent.headers["Content-Disposition"].startswith("attachment;")
        delete_document(olivia.actor, document_id=document.pk)
        while work("default"):
            pass
        assert not Document.objects.filter(pk=document.pk).exists()
    assert names() == []


@pytest.mark.django_db(transaction=True)
def test_where_browsers_cannot_reach_the_store_the_file_goes_through_our_door(
    bucket: str, olivia: Persona, settings: Any
) -> None:
    settings.STORAGE_LINK_SECONDS = 0
    base = make_base(olivia.space, created_by=olivia.user)
    with olivia.scope():
        document = add_document(olivia.actor, base_id=base.pk, name="a.html", content=b"<p>Hi</p>")
    response = olivia.client.get(reverse("document_file", args=[document.pk]))
    assert b"".join(response.streaming_content) == b"<p>Hi</p>"  # type: ignore[attr-defined]  # of a FileResponse
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in response.headers["Content-Security-Policy"]


@pytest.mark.django_db(transaction=True)
def test_the_copy_of_a_space_has_the_files_and_its_end_removes_them(
    bucket: str, olivia: Persona
) -> None:
    base = make_base(olivia.space, created_by=olivia.user)
    with olivia.scope():
        add_document(olivia.actor, base_id=base.pk, name="a.txt", content=b"Heavy ropes hang.")
        (exported,) = original_files(olivia.actor)
        with exported.open() as file:
            assert file.read() == b"Heavy ropes hang."
        assert [each.place for each in find_text("Heavy ropes", with_files=True)] == ["files"]
        erase_space(Subject(kind="space", id=str(olivia.space.pk), space_id=olivia.space.pk))
    assert names() == []
    assert find_text("Heavy ropes", with_files=True) == []


def test_files_are_carried_over_and_checked_and_a_second_time_nothing_is(bucket: str) -> None:
    stored = store_file(1, io.BytesIO(b"Ropes."))
    store_json(1, "parsed", "abc", 1)
    local = storages["local"]
    assert isinstance(local, FileSystemStorage)
    first = copy_files(default_storage, local)
    assert (first.files, first.there_already, first.failed, first.damaged) == (2, 0, 0, 0)
    with local.open(names()[0]) as file:
        assert file.read() == b"Ropes."
    again = copy_files(local, default_storage)
    assert (again.files, again.there_already) == (0, 2)
    name = f"spaces/1/files/{stored.content_hash[:2]}/{stored.content_hash}"
    Path(local.path(name)).write_bytes(b"Rotten")
    mended = copy_files(default_storage, local)
    assert (mended.files, mended.damaged) == (1, 0)
    assert Path(local.path(name)).read_bytes() == b"Ropes."


@pytest.mark.parametrize(
    "changes", [{"bucket": ""}, {"access_key": ""}], ids=["no bucket", "half a key"]
)
def test_half_a_configuration_is_refused_with_words(changes: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="WEKNORA_S3"):
        configured("http://127.0.0.1", kind="s3", **changes)
