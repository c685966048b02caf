"""Clients for model rows: the same one until the row changes, none for what can't be used."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from core.errors import Conflict, Invalid, NotFound
from providers.background import LimitedEmbeddingModel, LimitedRerankModel
from providers.constants import ModelType, Provider
from providers.contracts.errors import ModelError
from providers.models import AIModel
from providers.services.builtin import sync_builtin_models
from providers.services.clients import get_chat_model, get_embedding_model, get_rerank_model
from providers.services.failures import service_error
from providers.services.models import create_model, default_model
from tests.personas import Persona
from tests.providers.local_server import LocalServer
from tests.providers.services.test_models import values


@pytest.fixture
def scope(adam: Persona) -> Iterator[Persona]:
    with adam.scope():
        sync_builtin_models(adam.space.pk)
        yield adam


def builtin(persona: Persona, type: ModelType) -> AIModel:
    return default_model(persona.space.pk, type)


def test_one_client_serves_until_the_row_changes(scope: Persona) -> None:
    row = create_model(scope.actor, values=values())
    first = get_chat_model(row.pk)
    assert get_chat_model(row) is first
    row.name = "Renamed"
    row.save()
    second = get_chat_model(row.pk)
    assert second is not first
    assert second.name == "Renamed"


def test_a_removed_model_says_that_another_must_be_chosen(scope: Persona) -> None:
    for missing in (None, uuid.uuid4()):
        with pytest.raises(NotFound, match="choose another"):
            get_chat_model(missing)


def test_a_model_of_another_space_does_not_exist(scope: Persona, mallory: Persona) -> None:
    row = builtin(scope, ModelType.CHAT)
    with mallory.scope(), pytest.raises(NotFound):
        get_chat_model(row.pk)


def test_a_model_that_is_switched_off_says_who_can_switch_it_on(scope: Persona) -> None:
    row = create_model(scope.actor, values=values(is_enabled=False))
    with pytest.raises(Conflict, match="an admin can turn it on"):
        get_chat_model(row)


def test_a_model_of_another_type_is_refused(scope: Persona) -> None:
    with pytest.raises(Invalid, match="type 'embedding'"):
        get_chat_model(builtin(scope, ModelType.EMBEDDING))


def test_a_key_that_cannot_be_read_says_what_to_do(scope: Persona, settings: Settings) -> None:
    row = create_model(scope.actor, values=values())
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(Conflict, match="an admin has to enter it again"):
        get_chat_model(row.pk)


def test_the_built_in_embedder_says_its_identity(scope: Persona, local_models: LocalServer) -> None:
    model = get_embedding_model(builtin(scope, ModelType.EMBEDDING))
    assert model.dimensions == 384
    assert model.identity.startswith("multilingual-e5-small/")
    assert model.identity.endswith("/onnx-int8")
    assert model.embed(["a", "b"], kind="passage").shape == (2, 384)


def test_background_work_takes_places_and_people_do_not(
    scope: Persona, local_models: LocalServer, broker: str
) -> None:
    embedding, rerank = builtin(scope, ModelType.EMBEDDING), builtin(scope, ModelType.RERANK)
    in_background = get_embedding_model(embedding, background=True)
    assert isinstance(in_background, LimitedEmbeddingModel)
    assert not isinstance(get_embedding_model(embedding), LimitedEmbeddingModel)
    assert in_background.embed(["a"], kind="passage").shape == (1, 384)
    reranker = get_rerank_model(rerank, background=True)
    assert isinstance(reranker, LimitedRerankModel)
    assert reranker.identity.endswith("/maxsim")
    assert reranker.rerank("a", ["b", "a"])[0].index == 1


def test_a_remote_identity_names_host_and_model_without_a_call(scope: Persona) -> None:
    row = create_model(
        scope.actor, values=values(type=ModelType.EMBEDDING, provider=Provider.OPENAI_COMPATIBLE)
    )
    assert get_embedding_model(row).identity == "llm.example/gpt/none"


def test_a_model_that_is_down_becomes_an_error_that_says_retry(
    scope: Persona, settings: Settings
) -> None:
    settings.LOCAL_MODELS_URL = "http://127.0.0.1:9/v1"
    with pytest.raises(ModelError) as caught:
        get_embedding_model(builtin(scope, ModelType.EMBEDDING)).embed(["a"], kind="query")
    error = service_error(caught.value)
    assert (error.retry, error.http_status) == (True, 503)
    assert "cannot be reached" in error.message


def test_the_built_in_answerer_is_labelled(scope: Persona) -> None:
    assert "extractive, no language model" in get_chat_model(builtin(scope, ModelType.CHAT)).name
