"""What each persona and each key is answered at each route of the API: the committed table.

Add a row for each route and method. Addresses name things of space A, made by olivia, and her own
session. People are in the columns of `access_table.PEOPLE`. Of the keys there is one for each
capability; those that a row does not name are refused with 403. `all` has every capability of a
space. `inside` is limited to the base of the address and `outside` to another one, both with what
makes sense for bases. `external` is a person of the application that has `all`; `foreign` is a key of
space B with every capability. Expired and revoked keys are 401 everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.keys.capabilities import Capability as Can
from tests.contracts.world import World

Body = Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Machines:
    """Statuses of keys that are no single capability's."""

    all: int
    inside: int
    outside: int
    external: int
    foreign: int


@dataclass(frozen=True)
class ApiRow:
    """The expected answers to one method of one route."""

    name: str
    method: str
    people: tuple[int, int, int, int, int, int]
    opens: Mapping[Can, int]
    """By capability; every other one is 403."""
    machines: Machines
    body: Body | None = None
    query: Callable[[World], str] = field(default=lambda _: "")
    is_form: bool = False
    """Sent as multipart/form-data."""
    refused: int = 403
    """What keys without an opening capability are answered."""
    dead: int = 401
    """What expired and revoked keys are answered."""
    platform: int = 409
    """What a key of the platform is answered that has the capability and names no space."""


def machines(status: int, **others: int) -> Machines:
    """The same for all but those named; of another space there is nothing."""
    given = {"all": status, "inside": status, "outside": status, "external": status}
    return Machines(**{**given, "foreign": 404, **others})


def opened(status: int, *capabilities: Can) -> dict[Can, int]:
    """The same for each of the capabilities."""
    return dict.fromkeys(capabilities, status)


def everybody(status: int) -> tuple[int, int, int, int, int, int]:
    """All who are signed in."""
    return (status, status, status, status, status, 401)


def members(status: int) -> tuple[int, int, int, int, int, int]:
    """All of space A."""
    return (status, status, status, status, 404, 401)


def admins(status: int) -> tuple[int, int, int, int, int, int]:
    """Owner and admin of A; the others see it and may not."""
    return (status, status, 403, 403, 404, 401)


def hers(status: int) -> tuple[int, int, int, int, int, int]:
    """Olivia alone."""
    return (status, 404, 404, 404, 404, 401)


def _file(_: World) -> Mapping[str, Any]:
    from django.core.files.uploadedfile import SimpleUploadedFile

    return {"file": SimpleUploadedFile("notes.txt", b"Check the flaps twice.")}


def _search(world: World) -> Mapping[str, Any]:
    return {"query": "flaps", "knowledge_base_ids": [str(world.base.pk)]}


def _question(world: World) -> Mapping[str, Any]:
    return {
        "query": "What is to be checked?",
        "agent_id": str(world.agent.pk),
        "knowledge_base_ids": [str(world.base.pk)],
    }


def _answer(world: World) -> Mapping[str, Any]:
    return {"message_id": str(world.run.pk)}


_READS_BASES = (Can.RETRIEVE, Can.CHAT, Can.INGEST, Can.MANAGE_KBS)
_READS = (Can.RETRIEVE, Can.CHAT, Can.INGEST)
_AGENTS = (Can.READ_AGENTS, Can.CHAT, Can.MANAGE_AGENTS)
_TALKS = (Can.CHAT, Can.MESSAGE_HISTORY)
_EVERY = opened(200, *Can)
_NOT_THEIRS = machines(404)
_NAMED = {"name": "Renamed"}

API_TABLE = (
    ApiRow("schema", "GET", (200,) * 6, _EVERY, machines(200, foreign=200), platform=200),
    ApiRow("auth_me", "GET", everybody(200), _EVERY, machines(200, foreign=200), platform=200),
    ApiRow(
        "knowledge_bases",
        "GET",
        everybody(200),
        opened(200, *_READS_BASES),
        machines(200, foreign=200),
    ),
    ApiRow(
        "knowledge_bases",
        "POST",
        (201, 201, 201, 403, 201, 401),
        opened(201, Can.MANAGE_KBS),
        machines(201, inside=403, outside=403, external=403, foreign=201),
        lambda _: {"name": "New"},
    ),
    ApiRow(
        "knowledge_base",
        "GET",
        members(200),
        opened(200, *_READS_BASES),
        machines(200, outside=403),
    ),
    ApiRow(
        "knowledge_base",
        "PUT",
        admins(200),
        opened(200, Can.MANAGE_KBS),
        machines(200, outside=403, external=403),
        lambda _: _NAMED,
    ),
    ApiRow(
        "knowledge_base",
        "DELETE",
        admins(200),
        opened(200, Can.MANAGE_KBS),
        machines(200, outside=403, external=403),
    ),
    ApiRow(
        "base_knowledge",
        "GET",
        members(200),
        opened(200, *_READS),
        machines(200, outside=403),
    ),
    ApiRow(
        "base_knowledge_file",
        "POST",
        admins(200),
        opened(200, Can.INGEST),
        machines(200, outside=403, external=403),
        _file,
        is_form=True,
    ),
    ApiRow("knowledge", "GET", members(200), opened(200, *_READS), machines(200, outside=404)),
    ApiRow(
        "knowledge",
        "DELETE",
        admins(200),
        opened(200, Can.INGEST),
        machines(200, outside=404, external=403),
    ),
    ApiRow("chunks", "GET", members(200), opened(200, *_READS), machines(200, outside=404)),
    ApiRow(
        "knowledge_search",
        "POST",
        members(200),
        opened(200, Can.RETRIEVE, Can.CHAT),
        machines(200, outside=403),
        _search,
    ),
    ApiRow("agents", "GET", everybody(200), opened(200, *_AGENTS), machines(200, foreign=200)),
    ApiRow("agent", "GET", members(200), opened(200, *_AGENTS), machines(200)),
    ApiRow("sessions", "GET", everybody(200), opened(200, *_TALKS), machines(200, foreign=200)),
    ApiRow(
        "sessions",
        "POST",
        everybody(201),
        opened(201, Can.CHAT),
        machines(201, foreign=201),
        lambda _: {"title": "A talk"},
    ),
    ApiRow("session", "GET", hers(200), opened(404, *_TALKS), _NOT_THEIRS),
    ApiRow(
        "session",
        "PUT",
        hers(200),
        opened(404, Can.CHAT),
        _NOT_THEIRS,
        lambda _: {"title": "Flaps"},
    ),
    ApiRow("session", "DELETE", hers(200), opened(404, Can.CHAT), _NOT_THEIRS),
    ApiRow("session_stop", "POST", hers(200), opened(404, Can.CHAT), _NOT_THEIRS, _answer),
    ApiRow("agent_chat", "POST", hers(200), opened(404, Can.CHAT), _NOT_THEIRS, _question),
    ApiRow("knowledge_chat", "POST", hers(200), opened(404, Can.CHAT), _NOT_THEIRS, _question),
    ApiRow(
        "continue_stream",
        "GET",
        hers(200),
        opened(404, Can.CHAT),
        _NOT_THEIRS,
        query=lambda world: f"?message_id={world.run.pk}",
    ),
    ApiRow(
        "nowhere",
        "GET",
        (404,) * 6,
        opened(404, *Can),
        machines(404),
        refused=404,
        dead=404,
        platform=404,
    ),
)
