"""What a key does is written down, or does not happen."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import Any

import jwt
import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client

from accounts.models import AuditEvent, Space
from accounts.services import audit
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from tests.factories.keys import HeldKey, make_key
from tests.factories.knowledge import make_base
from tests.integrations.api.conftest import call, code_of, data_of
from tests.personas import Persona

BASES = "/knowledge-bases"


def events(space: Space) -> list[AuditEvent]:
    with space_scope(space.pk):
        return list(AuditEvent.objects.filter(action__startswith="api.").order_by("pk"))


def signed(held: HeldKey, payload: str) -> dict[str, str]:
    """Return headers with a token whose payload is this text."""
    secret = held.key.signing_secret
    token = jwt.PyJWS().encode(payload.encode(), secret, algorithm="HS256")
    return {**held.headers, "X-External-User-Token": token}


def claims(**changed: Any) -> str:
    return json.dumps({"sub": "customer-7", "exp": int(time.time()) + 300, **changed})


@pytest.mark.parametrize(
    "payload",
    [
        {"sub": "a\x00b"},
        {"sub": "a\nb"},
        {"sub": "a\u0085b"},
        {"sub": "a\u2028b"},
        {"name": "Ada\x00"},
        {"name": "Ada\x1b[2J"},
        {"sub": "a\ud800"},
        {"name": "a\udfff"},
        {"sub": 7},
        {"sub": None},
        {"name": ["Ada"]},
        {"exp": "4102444800"},
        {"exp": True},
        {"exp": None},
        {"exp": [1]},
        '{"sub": "a", "exp": 1e999}',
        '{"sub": "a", "exp": NaN}',
        {"iat": "now"},
        {"nbf": {}},
        '"a"',
        "[]",
        "no json",
        "[" * 2500,
    ],
    ids=count(),
)
def test_a_users_token_that_cannot_be_written_down_opens_nothing(
    olivia: Persona, payload: str | dict[str, Any]
) -> None:
    held = make_key(olivia.space)
    if isinstance(payload, dict):
        payload = claims(**payload)
    assert call("GET", BASES, headers=signed(held, claims())).status_code == 200
    response = call("GET", BASES, headers=signed(held, payload))
    assert (response.status_code, code_of(response)) == (401, 1001)
    assert [each.count for each in events(olivia.space)] == [1]


@pytest.mark.parametrize(
    "token", ["x" * 5000, "[" * 3000 + ".a.b", "é.é.é", "..", "W1tb.W1tb.W1tb"]
)
def test_what_is_no_token_opens_nothing(olivia: Persona, token: str) -> None:
    headers = {**make_key(olivia.space).headers, "X-External-User-Token": token}
    assert call("GET", BASES, headers=headers).status_code == 401


def test_names_of_all_scripts_are_names(olivia: Persona) -> None:
    held = make_key(olivia.space)
    for name in ("李雷", "José 👩\u200d🚀", "محمد"):
        assert call("GET", BASES, headers=held.headers_for(name, name=name)).status_code == 200
    assert len(events(olivia.space)) == 3


@pytest.fixture
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit's table takes no row."""

    def refuse(self: AuditEvent, *_: object, **__: object) -> None:
        raise DatabaseError("no space left on device")

    monkeypatch.setattr(AuditEvent, "save", refuse)


@pytest.mark.usefixtures("_broken", "quick")
@pytest.mark.parametrize("who", ["key", "external"])
def test_what_a_key_would_read_stays_here_when_it_cannot_be_audited(
    olivia: Persona, who: str
) -> None:
    make_base(olivia.space, name="Hangar")
    held = make_key(olivia.space)
    response = call("GET", BASES, headers=held.headers if who == "key" else held.headers_for("a"))
    assert response.status_code == 503
    assert "Hangar" not in response.content.decode()
    assert "audit log" in response.json()["error"]["message"]


@pytest.mark.usefixtures("_broken", "quick")
def test_what_a_key_would_change_does_not_happen_when_it_cannot_be_audited(
    olivia: Persona,
) -> None:
    response = call("POST", BASES, {"name": "Unseen"}, key=make_key(olivia.space))
    assert response.status_code == 503
    with olivia.scope():
        assert not KnowledgeBase.objects.filter(name="Unseen").exists()


@pytest.mark.usefixtures("quick")
def test_a_change_is_written_before_it_happens_and_concluded_after(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    saved = KnowledgeBase.save

    def watch(self: KnowledgeBase, *args: Any, **kwargs: Any) -> None:
        seen.extend(each.outcome for each in events(olivia.space))
        saved(self, *args, **kwargs)

    monkeypatch.setattr(KnowledgeBase, "save", watch)
    data_of(call("POST", BASES, {"name": "One"}, key=make_key(olivia.space)), 201)
    assert seen[:1] == ["begun"]
    (event,) = events(olivia.space)
    assert (event.outcome, event.details["status"]) == ("done", 201)


def test_a_change_that_fails_unexpectedly_is_said_to_have_failed(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    from integrations.api.views import bases

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(bases, "create_base", broken)
    client = Client(raise_request_exception=False)
    body = {"name": "One"}
    assert call("POST", BASES, body, key=make_key(olivia.space), client=client).status_code == 500
    (event,) = events(olivia.space)
    assert (event.outcome, event.details["status"]) == ("failed", 500)


def test_a_change_that_a_service_refuses_is_said_to_be_refused(olivia: Persona) -> None:
    base = make_base(olivia.space)
    held = make_key(olivia.space)
    response = call("DELETE", f"{BASES}/{base.pk}", headers=held.headers_for("a"))
    assert response.status_code == 403
    (event,) = events(olivia.space)
    assert (event.outcome, event.details["status"]) == ("refused", 403)


def test_the_end_of_a_call_is_written_once(olivia: Persona) -> None:
    with olivia.scope():
        begun = audit.record_audit(olivia.actor, "api.x", outcome="begun", method="POST")
        assert begun is not None
        audit.conclude_audit(begun, outcome="failed", status=404)
        audit.conclude_audit(begun, outcome="done", status=200)
        rows = AuditEvent.objects.filter(pk=begun.pk)
        assert rows.get().details == {"method": "POST", "status": 404}
        changes: list[dict[str, Any]] = [{"outcome": "done"}, {"details": {}}, {"outcome": "begun"}]
        for change in changes:
            with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
                rows.update(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "done", "actor_name": "Somebody"},
        {"outcome": "done", "details": {}},
        {"outcome": "nonsense"},
        {"details": {"method": "POST", "more": 1}},
    ],
    ids=["another name", "details gone", "no end", "only details"],
)
def test_what_was_begun_can_be_ended_and_not_rewritten(
    olivia: Persona, change: dict[str, Any]
) -> None:
    with olivia.scope():
        begun = audit.record_audit(olivia.actor, "api.x", outcome="begun", method="POST")
        assert begun is not None
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            AuditEvent.objects.filter(pk=begun.pk).update(**change)


def test_no_text_keeps_an_event_from_being_written(olivia: Persona) -> None:
    from dataclasses import replace

    with olivia.scope():
        odd = replace(olivia.actor, name="Oli\x00via")
        event = audit.record_audit(odd, "api.x", note="a\x00b")
    assert event is not None
    assert event.actor_name == "Oli\ufffdvia"
