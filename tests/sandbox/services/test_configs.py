"""Sandboxes are taken away and brought back; trying one out answers those who asked."""

from __future__ import annotations

from uuid import UUID

import pytest

from core.errors import AccessDenied, Conflict, NotFound
from sandbox.models import SandboxConfig, SandboxSession
from sandbox.queries import config_for, list_removed_configs
from sandbox.services.configs import archive_config, restore_config
from sandbox.services.probing import begin_probe, probe_now, read_probe
from sandbox.words import left_out_words
from tests.factories.sandbox import make_config, make_session
from tests.personas import Persona


def test_removed_sandbox_comes_back_from_its_page(adam: Persona, cora: Persona) -> None:
    config = make_config(adam.space, name="Ours")
    make_session(adam.space, config=config, key="lives")
    adam.client.post(f"/sandboxes/{config.pk}/archive/")
    with adam.scope():
        assert [row.name for row in list_removed_configs(adam.actor)] == ["Ours"]
        assert [row.state for row in SandboxSession.objects.all()] == ["ending"]
        with pytest.raises(NotFound):
            config_for(str(config.pk))
    with cora.scope():
        assert list_removed_configs(cora.actor) == []
        with pytest.raises(AccessDenied):
            restore_config(cora.actor, config_id=config.pk)
    address = f"/sandboxes/{config.pk}/restore/"
    assert address in adam.client.get("/sandboxes/").content.decode()
    adam.client.post(address)
    with adam.scope():
        assert config_for(str(config.pk)) == config


def test_one_whose_name_was_taken_meanwhile_is_not_brought_back_and_it_is_said(
    adam: Persona,
) -> None:
    config = make_config(adam.space, name="Ours")
    with adam.scope():
        archive_config(adam.actor, config_id=config.pk)
    make_config(adam.space, name="Ours")
    with adam.scope(), pytest.raises(Conflict):
        restore_config(adam.actor, config_id=config.pk)
    page = adam.client.post(f"/sandboxes/{config.pk}/restore/", follow=True).content.decode()
    assert "choose another name" in page
    with adam.scope():
        assert SandboxConfig.objects.filter(archived_at=None).count() == 1


def test_workspace_is_stopped_after_a_question(adam: Persona) -> None:
    session = make_session(adam.space)
    page = adam.client.get("/sandboxes/").content.decode()
    stop = f"/sandboxes/workspaces/{session.pk}/stop/"
    assert f'data-dialog="stop-workspace" data-dialog-action="{stop}"' in page
    assert f'action="{stop}"' not in page.replace("data-dialog-action", "")
    assert 'id="stop-workspace"' in page


@pytest.mark.parametrize("named", [True, False])
def test_trying_one_out_answers_its_own_space_only(
    adam: Persona, mallory: Persona, named: bool
) -> None:
    config_id: UUID | None = make_config(adam.space).pk if named else None
    with adam.scope():
        ticket = begin_probe(adam.actor, config_id=config_id)
        assert read_probe(adam.actor, ticket=ticket) is None
        probe_now(config_id=config_id, ticket=ticket)
        answer = read_probe(adam.actor, ticket=ticket)
        assert answer is not None
        assert answer.detail or answer.works
    with mallory.scope(), pytest.raises(NotFound):
        read_probe(mallory.actor, ticket=ticket)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("It is larger than 16777216 bytes.", "It is larger than 16.0 MB."),
        ("There are more than 200 files.", "There are more than 200 files."),
        ("It is empty.", "It is empty."),
        ("", ""),
    ],
)
def test_reasons_of_backends_are_said_in_words(reason: str, words: str) -> None:
    assert left_out_words(reason).replace("\xa0", " ") == words
