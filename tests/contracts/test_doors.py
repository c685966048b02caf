"""Every door opens its space: with the opening taken away, whatever reads a space's rows fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from core.errors import NoSpaceScope
from core.jobs import handlers
from core.jobs.handlers import JobContext
from core.tenancy import current_space_id, space_scope
from tests.contracts.access_table import AGENTS, KNOWLEDGE, PROVIDERS, Row
from tests.contracts.sockets import socket_of
from tests.contracts.test_access import path_of
from tests.contracts.world import World, make_world
from tests.personas import Persona
from weknora_site.celery import app as celery_app

OUR_PACKAGES = ("accounts", "agents", "knowledge", "providers", "weknora_site", "core", "wiki")

# What a door that reads only tables without a space may do without one.
VIEWS_WITHOUT_SPACE: Mapping[str, str] = {}
JOBS: Mapping[str, Mapping[str, Any]] = {
    "agents.run_agent": {"run_id": "run_id"},
    "agents.fold_run": {"run_id": "run_id"},
    "agents.check_sentences": {"run_id": "run_id"},
    "agents.distill_memory": {"owner_id": "owner_id"},
    "agents.embed_memory": {"owner_id": "owner_id"},
    "agents.consolidate_memory": {"owner_id": "owner_id", "on_demand": False},
    "agents.gather_unanswered": {"run_id": "run_id"},
    "agents.suggest_follow_ups": {"set_id": "run_id"},
    "agents.suggest_starters": {"set_id": "run_id"},
    "sandbox.end_session": {"session_id": "workspace_id"},
    "sandbox.probe_backend": {"config_id": "config_id", "ticket": "ticket"},
    "wiki.lint": {"base_id": "base_id"},
    "wiki.search_page": {"page_id": "page_id"},
    "wiki.search_wiki": {"base_id": "base_id"},
    "knowledge.ingest_document": {"document_id": "document_id", "attempt": 1},
    "knowledge.remove_document": {"document_id": "document_id"},
    "knowledge.remove_base": {"base_id": "base_id"},
    "knowledge.fetch_document": {"document_id": "document_id", "attempt": 1},
    "knowledge.scan_document": {"document_id": "document_id", "attempt": 1},
    "knowledge.add_members": {"document_id": "document_id", "attempt": 1},
    "knowledge.read_pictures": {"document_id": "document_id", "attempt": 1},
    "knowledge.summarise": {"document_id": "document_id", "attempt": 1},
    "knowledge.describe_tables": {"document_id": "document_id", "attempt": 1},
    "knowledge.choose_tags": {"document_id": "document_id", "attempt": 1},
    "knowledge.extract_graph": {"document_id": "document_id", "attempt": 1},
    "knowledge.build_graph": {"base_id": "base_id"},
    "knowledge.ask_questions": {"document_id": "document_id", "attempt": 1},
    "knowledge.embed_corrected": {"document_id": "document_id"},
    "knowledge.propose_text": {"document_id": "document_id", "attempt": 1, "engine": "engine"},
    "knowledge.copy_base": {"source_id": "base_id", "batch_id": "batch_id"},
    "knowledge.empty_trash": {},
    "knowledge.index_faq_entries": {"base_id": "faq_id"},
    "knowledge.import_faq_entries": {"import_id": "import_id"},
    "knowledge.empty_faq_trash": {},
    "knowledge.forget_searches": {},
    "knowledge.reembed_base": {"base_id": "base_id"},
    "knowledge.forget_vectors": {"change_id": "base_id"},
    "knowledge.evaluate": {"run_id": "evaluation_id"},
    "wiki.thin_revisions": {},
    "wiki.build_pages": {"base_id": "base_id"},
    "wiki.mirror": {"base_id": "base_id"},
    "wiki.tidy": {"base_id": "base_id"},
}
"""Arguments of each job; a string names a thing of the world."""
JOBS_OF_THE_INSTALLATION: Mapping[str, str] = {
    "accounts.erase": "a person or a document is erased from all spaces",
    "accounts.forget_audit": "goes through the audit logs of all spaces",
    "accounts.mail_invitations": "invitations are read by people who are in no space yet",
    "accounts.make_export": "opens the space of its own row",
    "accounts.recount_storage": "counts every space",
    "accounts.remove_export": "opens the space of its own row",
}
"""Jobs that no space's door begins, with the reason."""
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "search": ("flaps", "--base", "Hangar"),
    "evaluate": ("--base", "Hangar"),
    "ask": ("flaps?", "--base", "Hangar"),
    "ingest": (__file__, "--base", "Hangar"),
}


@pytest.fixture
def world(olivia: Persona, settings: Settings, tmp_path: Path) -> World:
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    return make_world({"olivia": olivia})


@pytest.fixture
def doors_open_nothing(monkeypatch: pytest.MonkeyPatch, world: World) -> Iterator[None]:
    """Let every door forget to open its space."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in OUR_PACKAGES and hasattr(module, "space_scope"):
            monkeypatch.setattr(module, "space_scope", lambda _: nullcontext())
    yield
    assert current_space_id() is None


@pytest.mark.usefixtures("doors_open_nothing")
@pytest.mark.parametrize(
    "row", [*AGENTS, *KNOWLEDGE, *PROVIDERS], ids=lambda row: f"{row.method} {row.name}"
)
def test_a_view_without_its_scope_fails(world: World, row: Row) -> None:
    client: Client = world.people["olivia"].client
    send = getattr(client, row.method.lower())
    if row.name in VIEWS_WITHOUT_SPACE:
        assert send(path_of(row.name, world), row.data_for(world)).status_code < 400
        return
    with pytest.raises(NoSpaceScope):
        send(path_of(row.name, world), row.data_for(world))


def _known_jobs() -> list[str]:
    celery_app.loader.import_default_modules()
    return sorted(handlers._handlers)


def test_every_job_has_arguments_here() -> None:
    assert _known_jobs() == sorted([*JOBS, *JOBS_OF_THE_INSTALLATION])


@pytest.mark.parametrize("name", sorted(JOBS))
def test_a_job_without_a_scope_fails(world: World, name: str) -> None:
    _known_jobs()
    registered = handlers.handler_of(name)
    assert registered is not None
    arguments = {
        key: str(world.arguments[value]) if isinstance(value, str) else value
        for key, value in JOBS[name].items()
    }
    context = JobContext(
        job_id=uuid4(), space_id=world.space.pk, attempt=1, lease_epoch=1, deadline=float("inf")
    )
    with pytest.raises(NoSpaceScope):
        registered.run(context, **arguments)
    if registered.on_failure is not None:
        with pytest.raises(NoSpaceScope):
            registered.on_failure(arguments, "reason")


@pytest.mark.usefixtures("doors_open_nothing")
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_without_its_scope_fails(world: World, name: str) -> None:
    with pytest.raises(NoSpaceScope):
        call_command(name, *COMMANDS[name], space=world.space.name)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("doors_open_nothing")
async def test_a_socket_without_its_scope_fails(world: World) -> None:
    path = f"/ws/conversations/{world.conversation.pk}/"
    socket = socket_of(world.people["olivia"], path)
    await socket.send_input({"type": "websocket.connect"})
    with pytest.raises(NoSpaceScope):
        await socket.wait(timeout=5)


def test_the_doors_work_with_their_scope(world: World) -> None:
    """Else the tests above would pass for doors that are broken anyway."""
    client = world.people["olivia"].client
    assert client.get(reverse("base", args=[world.base.pk])).status_code == 200
    with space_scope(world.space.pk):
        assert world.base.documents.exists()
