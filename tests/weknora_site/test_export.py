"""The copy of a space: whole, without secrets, for the owner who asked for it, for some time."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.access import Actor
from accounts.constants import Role
from accounts.models import AuditEvent, SpaceExport
from accounts.platform import export_jobs
from accounts.platform.export import left_out, tables
from accounts.platform.export_jobs import delete_export, open_export, request_export
from accounts.platform.export_writing import write_copy
from core.errors import AccessDenied, Conflict, Gone, NotFound
from core.jobs.handlers import JobContext
from core.models import BackgroundJob
from core.tenancy import SpaceOwned, space_scope
from knowledge.models import EvidenceRow
from knowledge.storage import store_file
from tests.factories.accounts import make_invitation
from tests.factories.agents import make_conversation, make_run
from tests.factories.artifacts import make_artifact
from tests.factories.knowledge import make_base, make_document
from tests.factories.memory import make_memory
from tests.factories.providers import make_model
from tests.personas import Persona, make_persona


@pytest.fixture(autouse=True)
def files(tmp_path: Path, settings: Settings) -> None:
    """A store of this test alone."""
    settings.MEDIA_ROOT = tmp_path


def copy_of(actor: Actor) -> ZipFile:
    target = io.BytesIO()
    write_copy(target, actor)
    return ZipFile(target)


def rows(archive: ZipFile, label: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in archive.read(f"tables/{label}.jsonl").splitlines()]


def context() -> JobContext:
    return JobContext(job_id=uuid4(), space_id=0, attempt=1, lease_epoch=1, deadline=float("inf"))


def make_ready(row: SpaceExport) -> SpaceExport:
    with space_scope(row.space_id):
        export_jobs.make_export(context(), export_id=str(row.pk))
        return SpaceExport.objects.get(pk=row.pk)


def test_every_table_of_a_space_is_copied_or_says_why_not() -> None:
    known = {table.model for table in tables()} | set(left_out())
    missing = [
        model._meta.label
        for model in apps.get_models()
        if issubclass(model, SpaceOwned) and model not in known
    ]
    assert missing == []


@pytest.mark.django_db
def test_it_holds_files_and_rows_with_their_hashes_and_no_secret(olivia: Persona) -> None:
    base = make_base(olivia.space, name="Hangar")
    stored = store_file(olivia.space.pk, io.BytesIO(b"Check the flaps."))
    document = make_document(
        base, name="a/b.txt", texts=["Check the flaps."], content_hash=stored.content_hash
    )
    make_model(olivia.space, api_key="sk-very-secret")
    invitation = make_invitation(olivia.space, role=Role.VIEWER)
    archive = copy_of(olivia.actor)
    assert archive.read(f"files/{document.pk}/a_b.txt") == b"Check the flaps."
    assert [row["name"] for row in rows(archive, "knowledge.KnowledgeBase")] == ["Hangar"]
    assert rows(archive, "accounts.Membership")[0]["user__email"] == "olivia@example.org"
    manifest = json.loads(archive.read("manifest.json"))
    for entry in manifest["entries"]:
        assert hashlib.sha256(archive.read(entry["path"])).hexdigest() == entry["sha256"]
    whole = b"".join(archive.read(name) for name in archive.namelist())
    for secret in (b"sk-very-secret", b"gAAAA", invitation.token.encode()):
        assert secret not in whole


@pytest.mark.django_db
def test_others_conversations_memory_and_files_are_not_in_it(
    olivia: Persona, cora: Persona, mallory: Persona
) -> None:
    for persona, word in ((olivia, "mine"), (cora, "hers"), (mallory, "foreign")):
        conversation = make_conversation(persona.space, user=persona.user, title=word)
        make_artifact(make_run(conversation, question=word, answer=word), content=word)
        make_memory(persona.space, user=persona.user, text=word)
        make_base(persona.space, name=f"base of {word}")
    archive = copy_of(olivia.actor)
    whole = b"".join(archive.read(name) for name in archive.namelist())
    assert b"mine" in whole
    assert b"base of hers" in whole
    assert b"hers" not in whole.replace(b"base of hers", b"")
    assert b"foreign" not in whole


@pytest.mark.django_db
def test_an_answer_from_a_source_that_is_closed_now_is_not_in_it(
    olivia: Persona, mallory: Persona
) -> None:
    base = make_base(mallory.space)
    document = make_document(base, name="theirs.txt", texts=["quartzlantern"])
    run = make_run(
        make_conversation(olivia.space, user=olivia.user),
        answer="It says quartzlantern.",
        base_ids=[str(base.pk)],
    )
    with space_scope(olivia.space.pk):
        EvidenceRow.objects.create(
            space=olivia.space,
            origin_id=run.answer_id or "",
            marker=1,
            base_id=base.pk,
            document_id=document.pk,
            document_name="theirs.txt",
            document_revision=1,
            chunk_id=uuid4(),
            chunk_hash="c",
        )
    archive = copy_of(olivia.actor)
    assert b"quartzlantern" not in archive.read("tables/agents.Message.jsonl")


@pytest.mark.django_db
def test_only_owners_ask_for_one(adam: Persona, cora: Persona) -> None:
    for persona in (adam, cora):
        with space_scope(persona.space.pk), pytest.raises(AccessDenied):
            request_export(persona.actor)


@pytest.mark.django_db
def test_only_who_asked_downloads_it_and_it_is_audited(olivia: Persona) -> None:
    second = make_persona(olivia.space, name="Oscar", role=Role.OWNER)
    with space_scope(olivia.space.pk):
        row = make_ready(request_export(olivia.actor))
        assert row.row_count > 0
        _, file = open_export(olivia.actor, export_id=row.pk)
        with file:
            assert hashlib.sha256(file.read()).hexdigest() == row.content_hash
        with pytest.raises(NotFound):
            open_export(second.actor, export_id=row.pk)
        actions = set(AuditEvent.objects.values_list("action", flat=True))
        assert {"space.export", "space.export_download"} <= actions


@pytest.mark.django_db
def test_one_is_made_at_a_time(olivia: Persona) -> None:
    with space_scope(olivia.space.pk):
        request_export(olivia.actor)
        with pytest.raises(Conflict):
            request_export(olivia.actor)


@pytest.mark.django_db
def test_its_time_ends(
    olivia: Persona, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with space_scope(olivia.space.pk):
        row = make_ready(request_export(olivia.actor))
        removal = BackgroundJob.objects.get(name="accounts.remove_export")
        assert removal.run_after == row.expires_at
        assert default_storage.exists(row.file_name)
        SpaceExport.objects.update(expires_at=timezone.now())
        with pytest.raises(Gone):
            open_export(olivia.actor, export_id=row.pk)
        with django_capture_on_commit_callbacks(execute=True):
            export_jobs.remove_expired(context(), export_id=str(row.pk))
        assert not default_storage.exists(row.file_name)


@pytest.mark.django_db
def test_who_is_no_owner_any_more_gets_none(olivia: Persona) -> None:
    make_persona(olivia.space, name="Oscar", role=Role.OWNER)
    with space_scope(olivia.space.pk):
        row = request_export(olivia.actor)
        olivia.membership.role = Role.ADMIN
        olivia.membership.save()
        with pytest.raises(AccessDenied):
            make_ready(row)


@pytest.mark.django_db
def test_an_owner_removes_it_at_once(
    olivia: Persona, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with space_scope(olivia.space.pk):
        row = make_ready(request_export(olivia.actor))
        with django_capture_on_commit_callbacks(execute=True):
            delete_export(olivia.actor, export_id=row.pk)
        assert not default_storage.exists(row.file_name)


@pytest.mark.django_db
def test_the_command_writes_a_file_of_its_owner_alone(olivia: Persona, tmp_path: Path) -> None:
    target = tmp_path / "copy.zip"
    call_command("export_space", output=target, space=olivia.space.name)
    assert target.stat().st_mode & 0o777 == 0o600
    assert "manifest.json" in ZipFile(target).namelist()
