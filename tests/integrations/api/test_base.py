"""Who gets in, in which space, how often, and in what shape everything is answered."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.constants import Role
from accounts.keys.capabilities import Capability
from accounts.models import AuditEvent, Space
from integrations.api.views import identity
from tests.factories.accounts import make_member, make_space, make_user
from tests.factories.keys import make_key
from tests.factories.knowledge import make_base
from tests.integrations.api.conftest import call, code_of, data_of
from tests.personas import LOGIN_BACKEND, Persona

ME = "/auth/me"
BASES = "/knowledge-bases"


def test_a_key_comes_in_by_its_header_or_as_bearer(olivia: Persona) -> None:
    held = make_key(olivia.space, Capability.RETRIEVE, name="Portal")
    by_header = data_of(call("GET", ME, key=held))
    by_bearer = data_of(call("GET", ME, headers={"Authorization": f"Bearer {held.text}"}))
    assert by_header == by_bearer
    assert by_header["tenant"] == {"id": olivia.space.pk, "name": "Space A"}
    assert by_header["api_key"]["capabilities"] == ["retrieve"]
    assert by_header["user"] is None


def test_who_one_is_never_tells_a_secret(olivia: Persona) -> None:
    held = make_key(olivia.space)
    text = call("GET", ME, key=held).content.decode()
    assert held.text not in text
    assert held.key.key_hash not in text
    assert held.key.signing_secret not in text


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-API-Key": "wk-wrong"}, {"Authorization": "Bearer nonsense"}, {"X-API-Key": "wkt-x"}],
    ids=["nothing", "wrong key", "wrong bearer", "wrong test"],
)
@pytest.mark.django_db
def test_without_a_key_one_is_nobody(headers: dict[str, str]) -> None:
    response = call("GET", BASES, headers=headers)
    assert (response.status_code, code_of(response)) == (401, 1001)
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_wrong_key_beside_a_session_is_not_the_session(olivia: Persona) -> None:
    response = call("GET", BASES, headers={"X-API-Key": "wk-wrong"}, client=olivia.client)
    assert response.status_code == 401


def test_a_key_beside_another_persons_session_is_the_key(olivia: Persona, mallory: Persona) -> None:
    held = make_key(olivia.space, Capability.RETRIEVE)
    make_base(olivia.space, name="Hangar")
    found = data_of(call("GET", BASES, key=held, client=mallory.client))
    assert [each["name"] for each in found] == ["Hangar"]


def test_wrong_keys_are_counted_by_address(db: None) -> None:
    for _ in range(60):
        assert call("GET", ME, headers={"X-API-Key": "wk-wrong"}).status_code == 401
    response = call("GET", ME, headers={"X-API-Key": "wk-wrong"})
    assert (response.status_code, code_of(response)) == (429, 1006)
    assert int(response.headers["Retry-After"]) > 0


@pytest.mark.parametrize("space", ["0", "x", "-3", "1.5", ""])
def test_a_space_that_is_no_number_is_refused(olivia: Persona, space: str) -> None:
    response = call("GET", BASES, key=make_key(olivia.space), headers={"X-Tenant-ID": space})
    assert (response.status_code, code_of(response)) == (400, 1000)


def test_a_key_may_name_its_own_space_and_no_other(olivia: Persona, mallory: Persona) -> None:
    held = make_key(olivia.space)
    for space, status in ((olivia.space, 200), (mallory.space, 403)):
        headers = {"X-Tenant-ID": str(space.pk)}
        assert call("GET", BASES, key=held, headers=headers).status_code == status


def test_s25_a_person_names_only_spaces_of_which_they_are_a_member(
    olivia: Persona, mallory: Persona
) -> None:
    second = make_space("Second")
    make_member(second, user=olivia.user, role=Role.VIEWER)
    make_base(second, name="There")
    headers = {"X-Tenant-ID": str(second.pk)}
    found = data_of(call("GET", BASES, headers=headers, client=olivia.client))
    assert [each["name"] for each in found] == ["There"]
    for space_id in (mallory.space.pk, 987_654):
        headers = {"X-Tenant-ID": str(space_id)}
        response = call("GET", BASES, headers=headers, client=olivia.client)
        assert response.status_code == 403, "the same, whether it exists or not"


def test_a_space_that_needs_two_factor_needs_it_here_too(olivia: Persona) -> None:
    strict = make_space("Strict", requires_two_factor=True)
    make_member(strict, user=olivia.user)
    headers = {"X-Tenant-ID": str(strict.pk)}
    assert call("GET", BASES, headers=headers, client=olivia.client).status_code == 403


def test_a_key_of_the_platform_must_name_the_space(olivia: Persona) -> None:
    held = make_key(None, Capability.RETRIEVE)
    assert data_of(call("GET", ME, key=held))["tenant"] is None
    response = call("GET", BASES, key=held)
    assert (response.status_code, code_of(response)) == (409, 1005)
    assert response.json()["error"]["details"]["reason"] == "TENANT_REQUIRED"
    headers = {"X-Tenant-ID": str(olivia.space.pk)}
    assert call("GET", BASES, key=held, headers=headers).status_code == 200


def test_a_person_without_a_space_is_told_so(db: None) -> None:
    client = Client()
    client.force_login(make_user(), backend=LOGIN_BACKEND)
    assert data_of(call("GET", ME, client=client))["tenant"] is None
    assert call("GET", BASES, client=client).status_code == 409


def test_people_change_nothing_without_the_csrf_token(olivia: Persona) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = olivia.client.cookies
    response = call("POST", BASES, {"name": "Forged"}, client=client)
    assert (response.status_code, code_of(response)) == (403, 1002)
    assert call("GET", BASES, client=client).status_code == 200


@pytest.mark.usefixtures("quick")
def test_keys_need_no_csrf_token(olivia: Persona) -> None:
    client = Client(enforce_csrf_checks=True)
    body = {"name": "By key"}
    assert call("POST", BASES, body, key=make_key(olivia.space), client=client).status_code == 201


def test_without_a_policy_every_key_is_refused(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    from integrations.api import route_policies

    without = {
        key: value for key, value in route_policies.ROUTE_POLICIES.items() if key[0] != "auth_me"
    }
    monkeypatch.setattr(route_policies, "ROUTE_POLICIES", without)
    assert call("GET", ME, key=make_key(olivia.space)).status_code == 403
    assert call("GET", ME, client=olivia.client).status_code == 200


def test_what_a_capability_does_not_open_is_named(olivia: Persona) -> None:
    response = call("GET", BASES, key=make_key(olivia.space, Capability.READ_AGENTS))
    assert (response.status_code, code_of(response)) == (403, 1002)
    assert "retrieve" in response.json()["error"]["message"]


@pytest.mark.parametrize("given", ["abc-123", "A.b:c_d"])
def test_the_requests_id_comes_back(olivia: Persona, given: str) -> None:
    response = call("GET", ME, client=olivia.client, headers={"X-Request-ID": given})
    assert response.headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "x" * 81, "two words", "<script>"])
def test_an_id_that_cannot_be_used_is_replaced(olivia: Persona, given: str) -> None:
    response = call("GET", ME, client=olivia.client, headers={"X-Request-ID": given})
    assert response.headers["X-Request-ID"] not in ("", given)


def test_the_limit_is_told_and_held(olivia: Persona, settings: Settings) -> None:
    settings.LIMITS_PER_MINUTE = {**settings.LIMITS_PER_MINUTE, "api": 2}
    held, other = make_key(olivia.space), make_key(olivia.space)
    first = call("GET", BASES, key=held)
    assert first.headers["RateLimit-Limit"] == "2"
    assert first.headers["RateLimit-Remaining"] == "1"
    assert 0 < int(first.headers["RateLimit-Reset"]) <= 60
    call("GET", BASES, headers=held.headers_for("somebody"))
    response = call("GET", BASES, key=held)
    assert (response.status_code, code_of(response)) == (429, 1006)
    assert response.headers["Retry-After"] == response.headers["RateLimit-Reset"]
    assert response.headers["RateLimit-Remaining"] == "0"
    assert call("GET", BASES, key=other).status_code == 200, "each key has its own"
    assert call("GET", BASES, client=olivia.client).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, 1003),
        ("POST", "/knowledge-bases/not-an-id", 404, 1003),
        ("PATCH", "/knowledge-bases", 405, 1004),
        ("GET", "/knowledge-bases?page=0", 400, 1000),
        ("GET", "/knowledge-bases?page_size=101", 400, 1000),
        ("GET", "/knowledge-bases?x=%00", 400, 1000),
    ],
)
def test_failures_come_in_the_envelope(
    olivia: Persona, method: str, path: str, status: int, code: int
) -> None:
    response = call(method, path, client=olivia.client)
    assert (response.status_code, code_of(response)) == (status, code)


@pytest.mark.parametrize(
    ("body", "type_", "status", "code"),
    [
        ("{not json", "application/json", 400, 1000),
        ("a=b", "text/plain", 415, 1000),
        ("[1]", "application/json", 400, 1010),
        ("{}", "application/json", 400, 1010),
        ('{"name": "a\\u0000b"}', "application/json", 400, 1010),
    ],
)
def test_bodies_that_cannot_be_read_are_told(
    olivia: Persona, body: str, type_: str, status: int, code: int
) -> None:
    headers = make_key(olivia.space).headers
    response = Client().post("/api/v1/knowledge-bases", body, content_type=type_, headers=headers)
    assert (response.status_code, code_of(response)) == (status, code)


def test_an_unexpected_failure_keeps_its_words(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("at /srv/secret")

    monkeypatch.setattr(identity, "success", broken)
    client = Client(raise_request_exception=False)
    response = call("GET", ME, key=make_key(olivia.space), client=client)
    assert (response.status_code, code_of(response)) == (500, 1007)
    assert "secret" not in response.content.decode()


def test_clients_that_stream_are_answered_in_json(olivia: Persona) -> None:
    held = make_key(olivia.space)
    response = call("GET", ME, key=held, headers={"Accept": "text/event-stream"})
    assert data_of(response)["api_key"]["prefix"] == held.key.prefix


def test_an_expired_key_is_refused(olivia: Persona) -> None:
    held = make_key(olivia.space)
    held.key.expires_at = timezone.now() - timedelta(seconds=1)
    held.key.save()
    assert call("GET", ME, key=held).status_code == 401


def test_a_users_token_needs_a_key_beside_it(olivia: Persona) -> None:
    held = make_key(olivia.space)
    token = held.headers_for("a")["X-External-User-Token"]
    assert call("GET", ME, headers={"X-External-User-Token": token}).status_code == 401
    assert call("GET", ME, key=held, headers={"X-External-User-Token": "x"}).status_code == 401
    assert data_of(call("GET", ME, headers=held.headers_for("a")))["role"] == "viewer"


def events(space: Space) -> list[Any]:
    from core.tenancy import space_scope

    with space_scope(space.pk):
        return list(
            AuditEvent.objects.order_by("pk").values("action", "outcome", "count", "actor_name")
        )


@pytest.mark.usefixtures("quick")
def test_what_a_key_does_is_written_down_with_its_name(olivia: Persona) -> None:
    held = make_key(olivia.space, name="Importer")
    base_id = data_of(call("POST", BASES, {"name": "One"}, key=held), 201)["id"]
    for _ in range(3):
        call("GET", f"{BASES}/{base_id}", key=held)
    call("DELETE", f"{BASES}/{base_id}", key=held)
    call("DELETE", f"{BASES}/{base_id}", key=held)
    found = [(each["action"], each["outcome"], each["count"]) for each in events(olivia.space)]
    assert [each for each in found if str(each[0]).startswith("api.")] == [
        ("api.knowledge_bases", "done", 1),
        ("api.knowledge_base", "done", 3),
        ("api.knowledge_base", "done", 1),
        ("api.knowledge_base", "failed", 1),
    ]
    assert all("Importer" in str(each["actor_name"]) for each in events(olivia.space))


def test_a_refusal_is_written_down_once_a_minute(olivia: Persona) -> None:
    held = make_key(olivia.space, Capability.READ_AGENTS)
    for _ in range(3):
        call("GET", BASES, key=held)
    (event,) = events(olivia.space)
    assert (event["action"], event["outcome"], event["count"]) == ("access.denied", "refused", 3)


def test_what_people_do_is_audited_by_services_alone(olivia: Persona) -> None:
    call("GET", BASES, client=olivia.client)
    assert not [each for each in events(olivia.space) if str(each["action"]).startswith("api.")]


def test_a_key_of_another_space_finds_nothing(olivia: Persona, mallory: Persona) -> None:
    base = make_base(olivia.space)
    response = call("GET", f"{BASES}/{base.pk}", key=make_key(mallory.space))
    assert (response.status_code, code_of(response)) == (404, 1003)
