"""Every address × every persona, compared with the committed table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings

from tests.contracts.access_table import GUESTS, PEOPLE, TABLE, Row
from tests.contracts.world import World, make_world
from tests.factories.accounts import make_member, make_user
from tests.personas import LOGIN_BACKEND, Persona

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, kw_only=True)
class Address:
    """One entry of the URL map."""

    name: str
    """With its namespace; the route itself where it has no name."""
    arguments: tuple[str, ...]


def addresses() -> Iterator[Address]:
    """Yield the whole map but the admin site, which `test_the_admin_site…` covers."""
    yield from _walk(get_resolver(), namespace="")


def _walk(
    resolver: URLResolver, *, namespace: str, outer: tuple[str, ...] = ()
) -> Iterator[Address]:
    for entry in resolver.url_patterns:
        arguments = (*outer, *entry.pattern.regex.groupindex)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _walk(entry, namespace=inner, outer=arguments)
        elif isinstance(entry, URLPattern):
            name = f"{namespace}{entry.name or entry.pattern}"
            yield Address(name=name, arguments=arguments)


ALL = tuple(addresses())
ADMIN = tuple(one for one in ALL if one.name.startswith("admin:"))
API = tuple(one for one in ALL if one.name.startswith("api:"))
"""`test_api_access` has their table."""
OURS = tuple(one for one in ALL if one not in (*ADMIN, *API))
ADMIN_OPEN = ("admin:login", "admin:logout")
LIBRARY = ("account_", "mfa_", "socialaccount_")
STRICT = sorted(name for name in {one.name for one in OURS} if not name.startswith(LIBRARY))
"""allauth's views take what they do not know for a form; ours refuse it."""
ARGUMENTS = {one.name: one.arguments for one in ALL}
ROWS: Mapping[str, list[Row]] = defaultdict(list)
for _row in TABLE:
    ROWS[_row.name].append(_row)


@pytest.fixture
def world(
    olivia: Persona,
    adam: Persona,
    cora: Persona,
    victor: Persona,
    mallory: Persona,
    settings: Settings,
    tmp_path: Path,
) -> World:
    settings.MEDIA_ROOT = tmp_path
    people = (olivia, adam, cora, victor, mallory)
    return make_world(dict(zip(PEOPLE[:5], people, strict=True)))


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def path_of(name: str, world: World) -> str:
    return reverse(name, kwargs={key: world.arguments[key] for key in ARGUMENTS[name]})


def ask(
    world: World, persona: str, method: str, name: str, data: Mapping[str, Any] | None = None
) -> Any:
    """Send one request as `persona` and take back whatever it changed."""
    client = Client()
    if persona in world.people:
        client.cookies = deepcopy(world.people[persona].client.cookies)
    send = getattr(client, method.lower())
    path = path_of(name, world)
    with transaction.atomic():
        response = send(path) if data is None else send(path, data)
        if response.streaming and not response.is_async:  # its end closes the file
            b"".join(response.streaming_content)
        transaction.set_rollback(True)
    return response


def test_every_address_has_its_rows() -> None:
    missing = sorted({one.name for one in OURS} - set(ROWS))
    assert not missing, (
        f"Add what each persona is answered to tests/contracts/access_table.py: {missing}"
    )
    assert not set(ROWS) - {one.name for one in OURS}, "rows of addresses that are gone"
    assert all(len({row.method for row in rows}) == len(rows) for rows in ROWS.values())


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.method} {row.name}")
def test_answers_are_those_of_the_table(world: World, row: Row) -> None:
    answers = {name: ask(world, name, row.method, row.name, row.data_for(world)) for name in PEOPLE}
    statuses = tuple(answers[name].status_code for name in PEOPLE)
    if set(statuses) == {row.or_else}:
        return
    assert statuses == row.expected, dict(zip(PEOPLE, statuses, strict=True))
    guests = {
        name: ask(world, name, row.method, row.name, row.data_for(world)).status_code
        for name in GUESTS
    }
    assert tuple(guests.values()) == row.expected_of_guests(ARGUMENTS[row.name]), guests
    if row.expected[PEOPLE.index("stranger")] == 302 and row.expected[0] != 302:
        location = answers["stranger"].headers["Location"]
        assert location.startswith(reverse("account_login"))


@pytest.mark.parametrize("name", STRICT)
def test_methods_without_a_row_are_refused(world: World, name: str) -> None:
    listed = {row.method for row in ROWS[name]}
    for method in METHODS:
        if method not in listed:
            status = ask(world, "olivia", method, name).status_code
            assert status == 405, f"{method} {name} is answered {status}: give it a row"


@pytest.mark.parametrize(
    "row",
    [row for row in TABLE if ARGUMENTS.get(row.name)],
    ids=lambda row: f"{row.method} {row.name}",
)
def test_things_of_space_a_do_not_exist_for_mallory(row: Row) -> None:
    """The table itself promises it; whoever widens it cannot write down a leak by mistake."""
    mallory = row.expected[PEOPLE.index("mallory")]
    own = {"key", "uidb36"}  # allauth's own secrets, not things of a space
    if not row.open_to_mallory and not own & set(ARGUMENTS[row.name]):
        assert mallory == 404


@pytest.mark.parametrize("persona", PEOPLE)
def test_the_admin_site_is_closed_to_everybody_but_staff(world: World, persona: str) -> None:
    client = Client()
    if persona in world.people:
        client = world.people[persona].client
    for address in ADMIN:
        if not re.fullmatch(r"admin:\w+", address.name) or address.name in ADMIN_OPEN:
            continue
        arguments = (
            ["accounts"] if address.arguments == ("app_label",) else ["1"] * len(address.arguments)
        )
        response = client.get(reverse(address.name, args=arguments))
        assert response.status_code == 302, address.name
        assert response.headers["Location"].startswith(reverse("admin:login")), address.name


@pytest.mark.parametrize("with_space", [True, False], ids=["in a space", "in no space"])
def test_superusers_open_every_page_of_the_admin_site(world: World, with_space: bool) -> None:
    user = make_user(is_superuser=True, is_staff=True)
    if with_space:
        make_member(world.space, user=user)
    client = Client()
    client.force_login(user, backend=LOGIN_BACKEND)
    for address in ADMIN:
        if address.name.endswith(("_changelist", "_add", ":index")):
            status = client.get(reverse(address.name)).status_code
            assert status in ((200, 403) if address.name.endswith("_add") else (200,)), address.name
