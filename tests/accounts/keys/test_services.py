"""Making, rotating and revoking keys."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.access import Actor
from accounts.constants import Role
from accounts.keys.authentication import authenticate
from accounts.keys.capabilities import Capability
from accounts.keys.queries import list_keys, rows_of, state_of
from accounts.keys.secrets import hash_of
from accounts.keys.services import KeyWish, create_key, revoke_key, rotate_key
from accounts.models import ApiKey, AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound, NotSignedIn
from core.tenancy import space_scope
from tests.factories.keys import make_key
from tests.factories.knowledge import make_base
from tests.personas import Persona

WISH = KeyWish(name="Importer", capabilities=frozenset({Capability.INGEST}))


def test_an_owner_makes_a_key_and_reads_it_once(olivia: Persona) -> None:
    with olivia.scope():
        issued = create_key(olivia.actor, WISH)
    assert issued.text.startswith("wk-")
    assert len(issued.text) == 3 + 43  # 256 bits
    stored = ApiKey.objects.get(pk=issued.key.pk)
    assert stored.key_hash == hash_of(issued.text)
    assert issued.text not in str(stored.__dict__)
    assert stored.prefix == issued.text[:11]
    assert stored.signing_secret == issued.signing_secret


def test_the_signing_secret_is_encrypted_in_the_database(olivia: Persona) -> None:
    from django.db import connection

    with olivia.scope():
        issued = create_key(olivia.actor, WISH)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM accounts_apikey WHERE id = %s", [issued.key.pk])
        row = str(cursor.fetchall())
    assert issued.text not in row
    assert issued.signing_secret not in row


@pytest.mark.parametrize("name", ["adam", "cora", "victor"])
def test_only_owners_make_see_and_end_keys(
    request: pytest.FixtureRequest, olivia: Persona, name: str
) -> None:
    persona: Persona = request.getfixturevalue(name)
    held = make_key(olivia.space)
    with persona.scope():
        with pytest.raises(AccessDenied):
            create_key(persona.actor, WISH)
        assert not list_keys(persona.actor).exists()
        for attempt in (
            lambda: revoke_key(persona.actor, key_id=held.key.pk),
            lambda: rotate_key(persona.actor, key_id=held.key.pk, grace=timedelta(0)),
        ):
            with pytest.raises(NotFound):
                attempt()


def test_another_spaces_owner_does_not_see_them(olivia: Persona, mallory: Persona) -> None:
    held = make_key(olivia.space)
    with mallory.scope(), pytest.raises(NotFound):
        revoke_key(mallory.actor, key_id=held.key.pk)


def test_s29_no_key_makes_keys_or_takes_the_owners_role(olivia: Persona) -> None:
    from accounts.keys.authentication import machine_actor

    actor = machine_actor(make_key(olivia.space).key, space_id=olivia.space.pk)
    assert actor.role == Role.ADMIN
    assert actor.user_id is None
    as_owner = Actor(kind="api_key", id="x", space_id=olivia.space.pk, role=Role.OWNER)
    for each in (actor, as_owner):
        with olivia.scope(), pytest.raises(AccessDenied):
            create_key(each, WISH)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "n" * 121}, "name"),
        ({"capabilities": frozenset()}, "capabilities"),
        ({"capabilities": frozenset({Capability.SYSTEM_AUDIT_READ})}, "capabilities"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "expires_at"),
        ({"base_ids": (uuid.uuid4(),)}, "base_ids"),
    ],
    ids=["blank name", "long name", "nothing", "of the platform", "past", "unknown base"],
)
def test_what_no_key_can_be_is_refused_at_its_field(
    olivia: Persona, changes: dict[str, object], field: str
) -> None:
    from dataclasses import replace

    with olivia.scope(), pytest.raises(Invalid) as refusal:
        create_key(olivia.actor, replace(WISH, **changes))  # type: ignore[arg-type]  # cases
    assert field in refusal.value.data


def test_a_key_of_some_bases_cannot_reach_beyond_them(olivia: Persona) -> None:
    base = make_base(olivia.space)
    wish = KeyWish(
        name="Wide",
        capabilities=frozenset({Capability.RETRIEVE, Capability.MANAGE_MEMBERS}),
        base_ids=(base.pk,),
    )
    with olivia.scope(), pytest.raises(Invalid, match="Manage members"):
        create_key(olivia.actor, wish)


def test_a_base_of_another_space_cannot_be_named(olivia: Persona, mallory: Persona) -> None:
    base = make_base(mallory.space)
    wish = KeyWish(name="X", capabilities=frozenset({Capability.RETRIEVE}), base_ids=(base.pk,))
    with olivia.scope(), pytest.raises(Invalid):
        create_key(olivia.actor, wish)


def test_a_rotated_key_works_on_for_its_grace(olivia: Persona) -> None:
    with olivia.scope():
        old = create_key(olivia.actor, WISH)
        new = rotate_key(olivia.actor, key_id=old.key.pk, grace=timedelta(hours=1))
    assert new.key.identity == old.key.identity
    assert new.signing_secret != old.signing_secret
    assert authenticate(old.text).key.pk == old.key.pk
    assert authenticate(new.text).key.pk == new.key.pk
    with time_machine.travel(timezone.now() + timedelta(hours=1, seconds=1), tick=False):
        with pytest.raises(NotSignedIn):
            authenticate(old.text)
        assert authenticate(new.text).key.pk == new.key.pk


def test_rotation_without_grace_ends_the_old_one_at_once(olivia: Persona) -> None:
    with olivia.scope():
        old = create_key(olivia.actor, WISH)
        rotate_key(olivia.actor, key_id=old.key.pk, grace=timedelta(0))
    with pytest.raises(NotSignedIn):
        authenticate(old.text)


def test_rotation_never_lengthens_a_life(olivia: Persona) -> None:
    soon = timezone.now() + timedelta(minutes=5)
    held = make_key(olivia.space, Capability.CHAT, expires_at=soon)
    with olivia.scope():
        issued = rotate_key(olivia.actor, key_id=held.key.pk, grace=timedelta(days=1))
    held.key.refresh_from_db()
    assert held.key.expires_at == soon
    assert issued.key.expires_at == soon


@pytest.mark.parametrize("grace", [timedelta(days=31), timedelta(seconds=-1)])
def test_a_grace_is_at_most_a_month(olivia: Persona, grace: timedelta) -> None:
    held = make_key(olivia.space)
    with olivia.scope(), pytest.raises(Invalid):
        rotate_key(olivia.actor, key_id=held.key.pk, grace=grace)


def test_what_is_not_active_is_not_rotated(olivia: Persona) -> None:
    held = make_key(olivia.space)
    with olivia.scope():
        rotate_key(olivia.actor, key_id=held.key.pk, grace=timedelta(hours=1))
        with pytest.raises(Conflict):
            rotate_key(olivia.actor, key_id=held.key.pk, grace=timedelta(hours=1))


def test_a_revoked_key_opens_nothing_from_the_next_request_on(olivia: Persona) -> None:
    held = make_key(olivia.space)
    authenticate(held.text)
    with olivia.scope():
        revoked = revoke_key(olivia.actor, key_id=held.key.pk)
        first = revoked.revoked_at
        assert revoke_key(olivia.actor, key_id=held.key.pk).revoked_at == first
    with pytest.raises(NotSignedIn):
        authenticate(held.text)
    assert state_of(revoked) == "revoked"


def test_everything_is_audited_without_a_secret(olivia: Persona) -> None:
    with olivia.scope():
        old = create_key(olivia.actor, WISH)
        new = rotate_key(olivia.actor, key_id=old.key.pk, grace=timedelta(hours=1))
        revoke_key(olivia.actor, key_id=new.key.pk)
        revoke_key(olivia.actor, key_id=new.key.pk)
        events = list(AuditEvent.objects.order_by("pk").values())
    assert [each["action"] for each in events] == ["key.create", "key.rotate", "key.revoke"]
    text = str(events)
    for secret in (old.text, new.text, old.signing_secret, new.signing_secret, old.key.key_hash):
        assert secret not in text


def test_the_page_knows_names_of_bases_and_what_is_gone(olivia: Persona) -> None:
    kept, lost = make_base(olivia.space, name="Hangar"), make_base(olivia.space)
    make_key(olivia.space, Capability.RETRIEVE, bases=(kept, lost))
    with space_scope(olivia.space.pk):
        lost.delete()
        (row,) = rows_of(olivia.actor, list(list_keys(olivia.actor)))
    assert (row.bases, row.missing_bases, row.state) == (("Hangar",), 1, "active")
