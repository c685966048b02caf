"""`manage.py create_api_key`: which key it makes, what it prints, what it refuses."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.keys.authentication import authenticate
from accounts.keys.capabilities import FOR_BASES, PLATFORM_ONLY, Capability
from accounts.models import ApiKey, AuditEvent, PlatformAuditEvent
from tests.factories.knowledge import make_base
from tests.personas import Persona


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("create_api_key", "--name", "Bench", *arguments, "--json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_key_of_a_space_with_everything(
    olivia: Persona, mallory: Persona, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "--space", mallory.space.name, "--full-access")
    key = authenticate(found["key"]).key
    assert (key.space_id, key.created_by_id) == (mallory.space.pk, mallory.user.pk)
    assert set(key.capabilities) == {one.value for one in frozenset(Capability) - PLATFORM_ONLY}
    assert found["signing_secret"] == key.signing_secret
    with mallory.scope():
        event = AuditEvent.objects.get(action="key.create")
    assert found["key"] not in str(event.details)


def test_a_key_of_some_capabilities_and_bases(
    olivia: Persona, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = make_base(olivia.space, name="Hangar"), make_base(olivia.space, name="Tower")
    chosen = ("--capability", "chat", "--capability", "retrieve")
    found = run(capsys, *chosen, "--base", "hangar", "--base", str(other.pk), "--days", "7")
    key = authenticate(found["key"]).key
    assert key.capabilities == found["capabilities"] == ["chat", "retrieve"]
    assert key.base_ids == sorted([str(one.pk), str(other.pk)])
    assert key.expires_at is not None
    assert timedelta(days=6) < key.expires_at - timezone.now() <= timedelta(days=7)


def test_full_access_to_a_base_is_what_makes_sense_for_bases(
    olivia: Persona, capsys: pytest.CaptureFixture[str]
) -> None:
    make_base(olivia.space, name="Hangar")
    found = run(capsys, "--full-access", "--base", "Hangar")
    assert set(found["capabilities"]) == {one.value for one in FOR_BASES}


@pytest.mark.django_db
def test_a_key_of_the_installation(capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "--platform", "--full-access", "--days", "0")
    key = authenticate(found["key"]).key
    assert (key.space_id, key.created_by_id, key.expires_at) == (None, None, None)
    assert set(key.capabilities) == set(Capability.values)
    event = PlatformAuditEvent.objects.get(action="key.create")
    assert event.user_id is None
    assert found["key"] not in str(event.details)


def test_without_json_the_key_alone_is_printed(
    olivia: Persona, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("create_api_key", "--name", "Bench", "--capability", "chat")
    text = capsys.readouterr().out.strip()
    assert authenticate(text).key.space_id == olivia.space.pk


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--full-access", "--space", "Nowhere"), "no space 'Nowhere'"),
        (("--full-access", "--base", "Nowhere"), "no knowledge base 'Nowhere'"),
        (("--full-access", "--days", "-1"), "--days takes"),
        (("--full-access", "--days", "999999999"), "--days takes"),
        (("--capability", "system_audit_read"), "system_audit_read"),
        (("--full-access", "--platform", "--base", "Hangar"), "names no --space"),
        (("--full-access", "--platform", "--space", "Space A"), "names no --space"),
        (("--full-access", "--name", " "), "needs a name"),
        (("--platform", "--full-access", "--name", "n" * 121), "needs a name"),
    ],
)
@pytest.mark.usefixtures("olivia")
def test_what_cannot_be_made_ends_it_with_code_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(capsys, *arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    "arguments", [(), ("--full-access", "--capability", "chat"), ("--capability", "fly")]
)
@pytest.mark.usefixtures("olivia")
def test_what_the_key_may_do_must_be_said_in_one_way(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    with pytest.raises(CommandError):
        run(capsys, *arguments)
    assert not ApiKey.objects.exists()
