"""What the audit log writes down, and that nobody changes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from accounts.constants import Role
from accounts.models import AuditEvent, PlatformAuditEvent
from accounts.services.audit import record_audit, record_refusal
from accounts.services.audit_retention import forget_old_events, sweeping
from core.errors import AccessDenied
from core.tenancy import unscoped
from tests.personas import Persona


def events(persona: Persona, **where: Any) -> list[AuditEvent]:
    with persona.scope():
        return list(AuditEvent.objects.filter(**where).order_by("pk"))


def age(persona: Persona, *, days: int) -> None:
    with persona.scope(), sweeping("erasure"):
        AuditEvent.objects.update(created_at=timezone.now() - timedelta(days=days))


@contextmanager
def refused_by_the_database() -> Iterator[None]:
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        yield


def test_a_refused_request_is_one_event_with_a_count(victor: Persona) -> None:
    for _ in range(3):
        assert victor.client.post(reverse("space_settings"), {"name": "Mine"}).status_code == 403
    (event,) = events(victor, action="access.denied")
    assert (event.outcome, event.count, event.actor_name) == ("refused", 3, "Victor")
    assert event.path == "POST /spaces/current/"
    assert event.ip_address == "127.0.0.1"
    assert event.target_id == str(victor.space.pk)
    assert event.details["attempted"] == "spaces.change"


def test_other_refusals_are_rows_of_their_own(victor: Persona, cora: Persona) -> None:
    for who, name in ((victor, "space_settings"), (cora, "space_settings"), (cora, "invitations")):
        who.client.post(reverse(name), {"name": "Mine", "role": "viewer"})
    assert [each.count for each in events(cora, action="access.denied")] == [1, 1, 1]


def test_a_refusal_after_more_than_a_minute_is_a_new_row(victor: Persona) -> None:
    refusal = AccessDenied("No.", attempted="spaces.change", target=victor.space)
    with victor.scope():
        record_refusal(victor.actor, refusal)
    with victor.scope(), sweeping("erasure"):
        AuditEvent.objects.update(created_at=F("created_at") - timedelta(seconds=61))
    with victor.scope():
        record_refusal(victor.actor, refusal)
    assert [each.count for each in events(victor)] == [1, 1]


def test_what_does_not_exist_is_no_refusal(mallory: Persona, olivia: Persona) -> None:
    url = reverse("member_role", args=[olivia.membership.pk])
    assert mallory.client.post(url, {"role": "viewer"}).status_code == 404
    assert events(mallory) == []
    assert events(olivia) == []


def test_events_can_be_written_but_never_changed(olivia: Persona) -> None:
    with olivia.scope():
        event = record_audit(olivia.actor, "space.change", target=olivia.space)
        assert event is not None
        for change in (
            lambda: AuditEvent.objects.update(action="nothing"),
            lambda: AuditEvent.objects.update(count=0),
            lambda: AuditEvent.objects.all().delete(),
        ):
            with refused_by_the_database():
                change()
        with pytest.raises(TypeError):
            event.save()
        with pytest.raises(TypeError):
            event.delete()
        AuditEvent.objects.update(count=F("count") + 1)


def test_events_of_the_platform_cannot_be_changed_either(olivia: Persona) -> None:
    PlatformAuditEvent.objects.create(user=olivia.user, actor_name="Olivia", action="user.create")
    for change in (
        lambda: PlatformAuditEvent.objects.update(action="nothing"),
        lambda: PlatformAuditEvent.objects.all().delete(),
    ):
        with refused_by_the_database():
            change()
    PlatformAuditEvent.objects.update(user=None)  # as when the person's row goes
    assert PlatformAuditEvent.objects.get().actor_name == "Olivia"


def test_the_way_out_closes_with_its_transaction(olivia: Persona) -> None:
    with olivia.scope():
        record_audit(olivia.actor, "space.change")
        with sweeping("retention"):
            AuditEvent.objects.all().delete()
        record_audit(olivia.actor, "space.change")
        with refused_by_the_database():
            AuditEvent.objects.all().delete()


@pytest.mark.parametrize(
    ("days", "of_space", "kept"),
    [(89, None, 1), (91, None, 0), (91, 0, 1), (91, 365, 1), (8, 7, 0)],
    ids=["young", "old", "for ever", "longer here", "shorter here"],
)
def test_events_go_when_they_are_old(
    olivia: Persona, days: int, of_space: int | None, kept: int
) -> None:
    olivia.space.audit_days = of_space
    olivia.space.save()
    with olivia.scope():
        record_audit(olivia.actor, "space.change")
    age(olivia, days=days)
    assert forget_old_events() == 1 - kept
    assert len(events(olivia)) == kept


def test_a_legal_hold_keeps_old_events(olivia: Persona) -> None:
    olivia.space.legal_hold = True
    olivia.space.save()
    with olivia.scope():
        record_audit(olivia.actor, "space.change")
    age(olivia, days=1000)
    assert forget_old_events() == 0


def test_the_log_of_the_platform_has_its_days_too(db: None, settings: Any) -> None:
    PlatformAuditEvent.objects.create(action="user.create")
    with sweeping("erasure"):
        PlatformAuditEvent.objects.update(created_at=timezone.now() - timedelta(days=100))
    settings.AUDIT_DAYS = 0
    assert forget_old_events() == 0
    settings.AUDIT_DAYS = 90
    assert forget_old_events() == 1


def test_a_failed_record_stops_nothing_but_what_needs_one(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(AuditEvent, "save", fail)
    with olivia.scope():
        assert record_audit(olivia.actor, "space.change") is None
        assert "could not be audited" in caplog.text
        for action in ("conversation.open_other", "space.delete", "audit.export"):
            with pytest.raises(DatabaseError):
                record_audit(olivia.actor, action)


def test_a_record_goes_with_the_change_that_is_undone(olivia: Persona) -> None:
    with olivia.scope():
        with transaction.atomic():
            record_audit(olivia.actor, "space.change")
            transaction.set_rollback(True)
        assert not AuditEvent.objects.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OWNER])
def test_a_refusal_never_fails_for_what_it_holds(olivia: Persona, role: str) -> None:
    refusal = AccessDenied(f"\x00 \ud800 {role} " + "x" * 1000)
    with olivia.scope():
        record_refusal(olivia.actor, refusal)
    (event,) = events(olivia)
    assert len(event.details["reason"]) == 300


def test_a_person_who_is_deleted_stays_named_in_the_log(olivia: Persona, adam: Persona) -> None:
    with adam.scope():
        record_audit(adam.actor, "space.change")
    with unscoped(reason="the person's rows are in all spaces"):
        adam.user.delete()
    assert [each.actor_name for each in events(olivia)] == ["Adam"]
