"""The end of a space: who may end it, what goes, and what is written down."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from accounts.constants import SharePermission
from accounts.models import (
    ApiKey,
    AuditEvent,
    Erasure,
    Invitation,
    Membership,
    OrganisationSpace,
    PlatformAuditEvent,
    Space,
    User,
)
from accounts.organisations.queries import list_organisations
from accounts.platform.erasure_jobs import carry_out
from accounts.services.groups import add_to_group, create_group
from accounts.services.space_deletion import delete_space, deletions_of
from agents.models import Conversation
from core.errors import AccessDenied, Conflict, Invalid, NotFound, Refused
from core.jobs.handlers import JobContext
from core.models import BackgroundJob, JobState
from core.tenancy import unscoped
from knowledge.models import BaseShare, Chunk, Document
from knowledge.services.documents import add_document
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.factories.accounts import make_invitation
from tests.factories.agents import make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _own_store(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def full(olivia: Persona, cora: Persona, mallory: Persona) -> Space:
    """Space A with a bit of everything."""
    base = make_base(olivia.space, name="Hangar", created_by=olivia.user)
    make_document(base, name="manual.txt", texts=["Check the flaps."])
    make_run(make_conversation(olivia.space, user=cora.user), question="What?", answer="Flaps.")
    make_invitation(olivia.space)
    ApiKey.objects.create(space=olivia.space, name="robot", prefix="wk-1", key_hash="0" * 64)
    organisation = make_organisation(mallory.space, editors=(olivia.space,))
    share_base(base, organisation, permission=SharePermission.EDITOR)
    with olivia.scope():
        add_document(olivia.actor, base_id=base.pk, name="new.txt", content=BytesIO(b"Wings."))
        group = create_group(olivia.actor, name="Pilots")
        add_to_group(olivia.actor, group_id=group.pk, user_ids=[cora.user.pk])
    return olivia.space


def delete(persona: Persona, typed: str = "Space A") -> Erasure:
    with persona.scope():
        return delete_space(persona.actor, typed_name=typed)


def run_jobs() -> None:
    """Do what the jobs do; by hand, since a worker would not see rows of the test's transaction."""
    for row in Erasure.objects.filter(state="running"):
        context = JobContext(
            job_id=uuid4(), space_id=0, attempt=1, lease_epoch=1, deadline=float("inf")
        )
        carry_out(context, erasure_id=str(row.pk))


@pytest.mark.parametrize("name", ["adam", "cora", "victor"])
def test_only_owners_delete_their_space(request: pytest.FixtureRequest, name: str) -> None:
    persona: Persona = request.getfixturevalue(name)
    with pytest.raises(AccessDenied):
        delete(persona)
    assert Membership.objects.filter(space=persona.space).exists()


@pytest.mark.parametrize("typed", ["", "space a", "Space B"])
def test_the_name_has_to_be_typed(olivia: Persona, typed: str) -> None:
    with pytest.raises(Invalid, match="Space A"):
        delete(olivia, typed)
    assert not Erasure.objects.exists()


def test_a_legal_hold_keeps_a_space_and_the_try_is_written_down(olivia: Persona) -> None:
    Space.objects.filter(pk=olivia.space.pk).update(legal_hold=True)
    with pytest.raises(Refused, match="legal hold"):
        delete(olivia)
    assert Membership.objects.filter(space=olivia.space).exists()
    with olivia.scope():
        event = AuditEvent.objects.get(action="space.delete")
    assert event.outcome == "refused"


def test_everybody_is_out_at_once(
    olivia: Persona, cora: Persona, mallory: Persona, full: Space
) -> None:
    erasure = delete(olivia)
    assert erasure.state == "running"
    assert not Membership.objects.filter(space=full).exists()
    assert not any(one.is_open for one in Invitation.objects.filter(space=full))
    assert ApiKey.objects.get(space=full).revoked_at is not None
    assert not OrganisationSpace.objects.filter(member=full).exists()
    with unscoped(reason="the share is the closed space's"):
        assert not BaseShare.objects.exists()
    assert cora.client.get(reverse("bases")).headers["Location"] == reverse("spaces")
    queued = BackgroundJob.objects.filter(space_id=full.pk, state=JobState.QUEUED)
    assert not queued.exists()
    with mallory.scope():
        assert list_organisations(mallory.actor)


def test_the_job_leaves_nothing_but_the_report(
    olivia: Persona, cora: Persona, full: Space, django_capture_on_commit_callbacks: Any
) -> None:
    folder = f"spaces/{full.pk}"
    assert default_storage.exists(folder)
    erasure = delete(olivia)
    with django_capture_on_commit_callbacks(execute=True):
        run_jobs()
    erasure.refresh_from_db()
    assert erasure.state == "done"
    assert erasure.report["erased"]["knowledge.Document"] == 2
    with unscoped(reason="nothing of the space may be left anywhere"):
        for model in (Document, Chunk, Conversation, AuditEvent):
            assert not model.objects.filter(space_id=full.pk).exists()
    assert not Space.objects.filter(pk=full.pk).exists()
    assert not cora.user.groups.exists()
    assert not default_storage.exists(folder)
    event = PlatformAuditEvent.objects.get(action="space.delete")
    assert (event.target_name, event.user, event.details["members"]) == ("Space A", olivia.user, 2)


def test_people_stay_with_their_other_spaces(
    olivia: Persona, mallory: Persona, full: Space
) -> None:
    Membership.objects.create(space=mallory.space, user=olivia.user)
    User.objects.filter(pk=olivia.user.pk).update(last_space=full)
    delete(olivia)
    run_jobs()
    olivia.user.refresh_from_db()
    assert olivia.user.is_active
    assert olivia.user.last_space_id is None
    assert olivia.client.get(reverse("bases")).status_code == 200


def test_a_space_is_deleted_once(olivia: Persona) -> None:
    delete(olivia)
    with pytest.raises((Conflict, NotFound)):
        delete(olivia)
    assert Erasure.objects.count() == 1


def test_who_deleted_it_sees_how_it_goes(olivia: Persona, adam: Persona) -> None:
    erasure = delete(olivia)
    assert deletions_of(olivia.user) == [erasure]
    assert deletions_of(adam.user) == []
