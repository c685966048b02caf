"""Every route of the API × every persona × every kind of key, compared with the committed table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.keys.capabilities import FOR_BASES, PLATFORM_ONLY, Capability
from tests.contracts.access_table import PEOPLE
from tests.contracts.api_table import API_TABLE, ApiRow
from tests.contracts.test_access import API, METHODS
from tests.contracts.world import World, make_world
from tests.factories.keys import HeldKey, make_key
from tests.factories.knowledge import make_base
from tests.personas import Persona

NAMES = sorted({one.name.removeprefix("api:") for one in API})
ARGUMENTS = {one.name.removeprefix("api:"): one.arguments for one in API}
ROWS: Mapping[str, list[ApiRow]] = defaultdict(list)
for _row in API_TABLE:
    ROWS[_row.name].append(_row)
OF_SPACES = tuple(one for one in Capability if one not in PLATFORM_ONLY)


@pytest.fixture
def world(
    olivia: Persona,
    adam: Persona,
    cora: Persona,
    victor: Persona,
    mallory: Persona,
    settings: Settings,
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> World:
    settings.MEDIA_ROOT = tmp_path
    settings.LIMITS_PER_MINUTE = dict.fromkeys(settings.LIMITS_PER_MINUTE, 0)
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    cache.clear()
    people = (olivia, adam, cora, victor, mallory)
    return make_world(dict(zip(PEOPLE[:5], people, strict=True)))


def path_of(name: str, world: World) -> str:
    known = {
        "base_id": world.base.pk,
        "document_id": world.document.pk,
        "agent_id": world.agent.pk,
        "session_id": world.conversation.pk,
        "rest": "nowhere",
    }
    return reverse(f"api:{name}", kwargs={key: known[key] for key in ARGUMENTS[name]})


def ask(
    world: World,
    row: ApiRow,
    *,
    persona: str = "",
    headers: Mapping[str, str] | None = None,
) -> int:
    """Send one request and take back whatever it changed."""
    client = Client()
    if persona in world.people:
        client.cookies = deepcopy(world.people[persona].client.cookies)
    body = row.body(world) if row.body else None
    path = path_of(row.name, world) + row.query(world)
    send = getattr(client, row.method.lower())
    kind = {} if body is None or row.is_form else {"content_type": "application/json"}
    given = () if body is None else (body,)
    with transaction.atomic():
        response = send(path, *given, headers=dict(headers or {}), **kind)
        transaction.set_rollback(True)
    return int(response.status_code)


def test_every_route_has_its_rows() -> None:
    missing = sorted(set(NAMES) - set(ROWS))
    assert not missing, f"Add what keys and people are answered to api_table.py: {missing}"
    assert not set(ROWS) - set(NAMES), "rows of routes that are gone"
    assert all(len({row.method for row in rows}) == len(rows) for rows in ROWS.values())


def _id(row: ApiRow) -> str:
    return f"{row.method} {row.name}"


@pytest.mark.parametrize("row", API_TABLE, ids=_id)
def test_people_are_answered_as_the_table_says(world: World, row: ApiRow) -> None:
    statuses = tuple(ask(world, row, persona=name) for name in PEOPLE)
    assert statuses == row.people, dict(zip(PEOPLE, statuses, strict=True))


@pytest.mark.parametrize("row", API_TABLE, ids=_id)
def test_keys_of_each_capability_are_answered_as_the_table_says(world: World, row: ApiRow) -> None:
    answers = {
        one: ask(world, row, headers=make_key(world.space, one).headers) for one in OF_SPACES
    }
    assert answers == {one: row.opens.get(one, row.refused) for one in OF_SPACES}


@pytest.mark.parametrize("row", API_TABLE, ids=_id)
def test_other_keys_are_answered_as_the_table_says(world: World, row: ApiRow) -> None:
    answers = {name: ask(world, row, headers=headers) for name, headers in _machines(world)}
    expected = {
        name: getattr(row.machines, name)
        for name in ("all", "inside", "outside", "external", "foreign")
    }
    expected |= dict.fromkeys(("expired", "revoked"), row.dead)
    expected["platform"] = row.platform
    assert answers == expected


@pytest.mark.parametrize("row", API_TABLE, ids=_id)
def test_capabilities_of_the_installation_open_nothing_of_a_space(
    world: World, row: ApiRow
) -> None:
    headers = {
        **make_key(None, *PLATFORM_ONLY).headers,
        "X-Tenant-ID": str(world.space.pk),
    }
    expected = row.opens.get(Capability.SYSTEM_AUDIT_READ, row.refused)
    assert ask(world, row, headers=headers) == expected


@pytest.mark.parametrize("name", [name for name in NAMES if name != "nowhere"])
def test_methods_without_a_row_are_refused(world: World, name: str) -> None:
    listed = {row.method for row in ROWS[name]}
    key = make_key(world.space)
    for method in METHODS:
        if method not in listed:
            row = ApiRow(name, method, (405,) * 6, {}, ROWS[name][0].machines)
            assert ask(world, row, persona="olivia") == 405, f"{method} {name}: give it a row"
            assert ask(world, row, headers=key.headers) in (403, 405)


def test_the_table_itself_opens_nothing_to_other_spaces() -> None:
    """Whoever widens it cannot write down a leak by mistake."""
    for row in API_TABLE:
        if set(ARGUMENTS[row.name]) & {"base_id", "document_id", "agent_id", "session_id"}:
            assert row.people[PEOPLE.index("mallory")] == 404, row.name
            assert row.machines.foreign == 404, row.name


def _machines(world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
    whole = make_key(world.space)
    other = make_base(world.space)
    yield "all", whole.headers
    yield "inside", make_key(world.space, *FOR_BASES, bases=(world.base,)).headers
    yield "outside", make_key(world.space, *FOR_BASES, bases=(other,)).headers
    yield "external", whole.headers_for("customer-7")
    yield "foreign", make_key(world.people["mallory"].space).headers
    yield "expired", _changed(make_key(world.space), expires_at=timezone.now() - timedelta(1))
    yield "revoked", _changed(make_key(world.space), revoked_at=timezone.now())
    yield "platform", make_key(None).headers


def _changed(held: HeldKey, **values: Any) -> Mapping[str, str]:
    for name, value in values.items():
        setattr(held.key, name, value)
    held.key.save()
    return held.headers
