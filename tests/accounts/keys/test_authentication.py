"""From the text of a key to an actor."""

from __future__ import annotations

from datetime import timedelta

import jwt
import pytest
import time_machine
from django.utils import timezone

from accounts.access import may, visible
from accounts.constants import Role
from accounts.keys.authentication import (
    actor_for,
    actor_of_principal,
    authenticate,
    mint_test_credential,
    space_id_of,
)
from accounts.keys.capabilities import Capability
from accounts.keys.external import ExternalPerson, mint_token, read_token
from accounts.keys.services import revoke_key, rotate_key
from accounts.models import ApiKey
from core.errors import AccessDenied, Invalid, NotFound, NotSignedIn
from knowledge.models import Document, KnowledgeBase
from tests.factories.keys import make_key
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

PERSON = ExternalPerson(subject="customer-7", name="Ada")


@pytest.mark.parametrize(
    "text", ["", "wk-", "wk-wrong", "sk-other", "wkt-forged", "Bearer", "wk-\x00"]
)
@pytest.mark.django_db
def test_what_is_no_key_opens_nothing(text: str) -> None:
    with pytest.raises(NotSignedIn):
        authenticate(text)


def test_an_expired_key_opens_nothing(olivia: Persona) -> None:
    held = make_key(olivia.space, expires_at=timezone.now() + timedelta(hours=1))
    authenticate(held.text)
    with time_machine.travel(timezone.now() + timedelta(hours=2)), pytest.raises(NotSignedIn):
        authenticate(held.text)


def test_the_last_use_is_written_once_a_minute(olivia: Persona) -> None:
    held = make_key(olivia.space)

    def used() -> object:
        authenticate(held.text)
        return ApiKey.objects.get(pk=held.key.pk).last_used_at

    with time_machine.travel(timezone.now(), tick=False) as clock:
        first = used()
        clock.shift(59)
        assert used() == first
        clock.shift(2)
        assert used() != first


def test_a_key_reads_with_one_query_and_writes_its_use_with_another(
    olivia: Persona, django_assert_num_queries: object
) -> None:
    held = make_key(olivia.space)
    with django_assert_num_queries(2):  # type: ignore[operator]  # a fixture's function
        authenticate(held.text)
    with django_assert_num_queries(1):  # type: ignore[operator]  # a fixture's function
        authenticate(held.text)


def test_a_key_acts_in_its_own_space_only(olivia: Persona, mallory: Persona) -> None:
    credential = authenticate(make_key(olivia.space).text)
    assert actor_for(credential, space_id=olivia.space.pk).space_id == olivia.space.pk
    with pytest.raises(AccessDenied):
        actor_for(credential, space_id=mallory.space.pk)


def test_a_key_of_the_platform_acts_where_it_is_told(olivia: Persona) -> None:
    credential = authenticate(make_key(None, Capability.RETRIEVE).text)
    assert actor_for(credential, space_id=olivia.space.pk).space_id == olivia.space.pk
    with pytest.raises(NotFound):
        actor_for(credential, space_id=olivia.space.pk + 10_000)


def test_a_key_does_nothing_that_its_capabilities_do_not_name(olivia: Persona) -> None:
    base = make_base(olivia.space)
    actor = actor_for(
        authenticate(make_key(olivia.space, Capability.RETRIEVE).text), space_id=olivia.space.pk
    )
    with olivia.scope():
        assert may(actor, "view", base)
        assert not any(may(actor, action, base) for action in ("edit", "change", "delete"))
        assert not may(actor, "create", KnowledgeBase)


def test_a_key_of_some_bases_sees_nothing_of_others(olivia: Persona) -> None:
    inside, outside = make_base(olivia.space), make_base(olivia.space)
    make_document(inside, texts=["in"])
    make_document(outside, texts=["out"])
    held = make_key(olivia.space, Capability.INGEST, Capability.MANAGE_KBS, bases=(inside,))
    actor = actor_for(authenticate(held.text), space_id=olivia.space.pk)
    with olivia.scope():
        assert list(visible(actor, "view", KnowledgeBase.objects.all())) == [inside]
        assert visible(actor, "view", Document.objects.all()).get().base_id == inside.pk
        assert not may(actor, "view", outside)
        assert not may(actor, "create", KnowledgeBase)
        assert may(actor, "edit", inside)


def test_an_external_person_reads_as_a_viewer_whatever_the_key_may(olivia: Persona) -> None:
    base = make_base(olivia.space)
    held = make_key(olivia.space)
    credential = authenticate(held.text, user_token=mint_token(held.key, PERSON))
    actor = actor_for(credential, space_id=olivia.space.pk)
    assert (actor.kind, actor.role, actor.user_id) == ("external", Role.VIEWER, None)
    assert "Ada" in actor.name
    with olivia.scope():
        assert may(actor, "view", base)
        assert not may(actor, "edit", base)
        assert not may(actor, "create", KnowledgeBase)


def test_external_people_are_told_apart_and_outlive_rotation(olivia: Persona) -> None:
    held = make_key(olivia.space)

    def principal(text: str, key: ApiKey, subject: str) -> str:
        token = mint_token(key, ExternalPerson(subject=subject))
        credential = authenticate(text, user_token=token)
        return actor_for(credential, space_id=olivia.space.pk).principal

    first = principal(held.text, held.key, "a")
    assert first != principal(held.text, held.key, "b")
    other = make_key(olivia.space)
    assert first != principal(other.text, other.key, "a")
    with olivia.scope():
        new = rotate_key(olivia.actor, key_id=held.key.pk, grace=timedelta(0))
    assert principal(new.text, new.key, "a") == first
    assert len(first) <= 80


def _signed(key: ApiKey, secret: str = "", **claims: object) -> str:
    whole = {"sub": "a", "exp": timezone.now() + timedelta(minutes=5), **claims}
    whole = {name: value for name, value in whole.items() if value is not None}
    return jwt.encode(whole, secret or key.signing_secret, algorithm="HS256")


@pytest.mark.parametrize(
    "claims",
    [
        {"secret": "another-secret-of-thirty-two-bytes-or-more"},
        {"exp": None},
        {"sub": None},
        {"sub": " "},
        {"sub": "s" * 129},
        {"exp": 1},
        {"exp": 9_999_999_999},
        {"nbf": 9_999_999_999},
    ],
    ids=["forged", "endless", "nobody", "blank", "long", "expired", "lives long", "not yet"],
)
def test_a_users_token_that_does_not_hold_is_refused(
    olivia: Persona, claims: dict[str, object]
) -> None:
    key = make_key(olivia.space).key
    assert read_token(key, _signed(key)).subject == "a"
    with pytest.raises(NotSignedIn):
        read_token(key, _signed(key, **claims))  # type: ignore[arg-type]  # cases


def test_a_token_without_a_signature_is_refused(olivia: Persona) -> None:
    key = make_key(olivia.space).key
    claims = {"sub": "a", "exp": timezone.now() + timedelta(minutes=5)}
    with pytest.raises(NotSignedIn):
        read_token(key, jwt.encode(claims, "", algorithm="none"))


def test_a_token_of_another_key_is_refused(olivia: Persona) -> None:
    one, other = make_key(olivia.space), make_key(olivia.space)
    with pytest.raises(NotSignedIn):
        authenticate(one.text, user_token=mint_token(other.key, PERSON))


@pytest.mark.parametrize("seconds", [0, 3601])
def test_a_token_is_minted_for_an_hour_at_most(olivia: Persona, seconds: int) -> None:
    with pytest.raises(Invalid):
        mint_token(make_key(olivia.space).key, PERSON, expires_in_seconds=seconds)


def test_a_test_credential_is_the_key_for_ten_minutes(olivia: Persona) -> None:
    held = make_key(olivia.space)
    text = mint_test_credential(held.key, user_id=olivia.user.pk)
    credential = authenticate(text)
    assert credential.key.pk == held.key.pk
    assert actor_for(credential, space_id=olivia.space.pk).name.endswith("(test)")
    with time_machine.travel(timezone.now() + timedelta(minutes=11)), pytest.raises(NotSignedIn):
        authenticate(text)


def test_a_test_credential_dies_with_its_key(olivia: Persona) -> None:
    held = make_key(olivia.space)
    text = mint_test_credential(held.key, user_id=olivia.user.pk)
    with olivia.scope():
        revoke_key(olivia.actor, key_id=held.key.pk)
    with pytest.raises(NotSignedIn):
        authenticate(text)


def test_a_stored_principal_is_asked_anew(olivia: Persona, mallory: Persona) -> None:
    held = make_key(olivia.space, Capability.CHAT)
    actor = actor_for(
        authenticate(held.text, user_token=mint_token(held.key, PERSON)), space_id=olivia.space.pk
    )
    again = actor_of_principal(actor.principal, space_id=olivia.space.pk)
    assert (again, again.scopes, again.role) == (actor, actor.scopes, Role.VIEWER)
    with pytest.raises(NotFound):
        actor_of_principal(actor.principal, space_id=mallory.space.pk)
    with olivia.scope():
        revoke_key(olivia.actor, key_id=held.key.pk)
    with pytest.raises(NotFound):
        actor_of_principal(actor.principal, space_id=olivia.space.pk)


@pytest.mark.parametrize("principal", ["", "user:1", "api_key:nonsense", "external:x:y"])
@pytest.mark.django_db
def test_what_names_no_machine_is_nobody(principal: str) -> None:
    with pytest.raises(NotFound):
        actor_of_principal(principal, space_id=1)


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1.0", "१", "9" * 19])
def test_a_space_is_named_by_a_positive_number(text: str) -> None:
    with pytest.raises(Invalid):
        space_id_of(text)
