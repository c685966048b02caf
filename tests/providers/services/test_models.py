"""Models of a space: who may change them, one default a type, secrets that stay in."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import pytest

from core.errors import AccessDenied, Conflict, Invalid, NotFound
from providers.constants import ModelType, Provider
from providers.models import AIModel
from providers.parameters import ModelParameters
from providers.queries import get_model_card, list_models
from providers.services.builtin import sync_builtin_models
from providers.services.models import (
    create_model,
    default_model,
    delete_model,
    set_default_model,
    update_model,
)
from providers.values import ModelValues
from tests.factories.knowledge import make_base
from tests.personas import Persona

SECRET = "sk-secret-of-the-space"
VALUES = ModelValues(
    name="Chat",
    type=ModelType.CHAT,
    provider=Provider.OPENAI_COMPATIBLE,
    model_id="gpt",
    base_url="https://llm.example/v1",
    api_key=SECRET,
    extra_headers={"X-Auth": "hush-hush"},
)


def values(**fields: Any) -> ModelValues:
    return replace(VALUES, **fields)


def test_the_first_model_of_a_type_becomes_the_default(adam: Persona) -> None:
    with adam.scope():
        first = create_model(adam.actor, values=values())
        second = create_model(adam.actor, values=values(name="Other"))
        assert default_model(adam.space.pk, ModelType.CHAT) == first
        assert not second.is_default


def test_a_new_default_takes_the_place_of_the_old_one(adam: Persona) -> None:
    with adam.scope():
        create_model(adam.actor, values=values())
        second = create_model(adam.actor, values=values(name="Other"))
        set_default_model(adam.actor, model_id=second.pk)
        assert default_model(adam.space.pk, ModelType.CHAT) == second
        third = create_model(adam.actor, values=values(name="Third", is_default=True))
        assert default_model(adam.space.pk, ModelType.CHAT) == third


def test_without_a_default_the_error_says_who_can_choose_one(adam: Persona) -> None:
    with adam.scope(), pytest.raises(NotFound, match="no default Rerank model; an admin"):
        default_model(adam.space.pk, ModelType.RERANK)


@pytest.mark.parametrize("name", ["cora", "victor"])
def test_only_admins_change_models(
    name: str, adam: Persona, request: pytest.FixtureRequest
) -> None:
    member: Persona = request.getfixturevalue(name)
    with adam.scope():
        row = create_model(adam.actor, values=values())
        with pytest.raises(AccessDenied):
            create_model(member.actor, values=values())
        with pytest.raises(AccessDenied):
            update_model(member.actor, model_id=row.pk, values=values(name="Mine"))
        with pytest.raises(AccessDenied):
            delete_model(member.actor, model_id=row.pk)
        assert [card.name for card in list_models(member.actor)] == ["Chat"]


def test_models_of_another_space_do_not_exist(adam: Persona, mallory: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values())
    with mallory.scope():
        assert list_models(mallory.actor) == []
        for call in (
            lambda: get_model_card(mallory.actor, model_id=row.pk),
            lambda: update_model(mallory.actor, model_id=row.pk, values=values()),
            lambda: delete_model(mallory.actor, model_id=row.pk),
            lambda: set_default_model(mallory.actor, model_id=row.pk),
        ):
            with pytest.raises(NotFound):
                call()


def test_secrets_are_only_said_to_be_there(adam: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values())
        card = get_model_card(adam.actor, model_id=row.pk)
    assert (card.has_api_key, card.header_names) == (True, ("X-Auth",))
    assert SECRET not in repr(card) + repr(VALUES)
    assert "hush-hush" not in repr(card) + repr(VALUES)


def test_a_secret_that_is_not_entered_stays(adam: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values())
        update_model(
            adam.actor, model_id=row.pk, values=values(name="B", api_key=None, extra_headers=None)
        )
        row.refresh_from_db()
        assert (row.name, row.api_key) == ("B", SECRET)
        assert "hush-hush" in row.extra_headers
        update_model(adam.actor, model_id=row.pk, values=values(api_key="", extra_headers={}))
        row.refresh_from_db()
        assert (row.api_key, row.extra_headers) == ("", "")


def test_a_stored_secret_does_not_follow_to_another_address(adam: Persona) -> None:
    elsewhere = values(base_url="https://evil.example/v1", api_key=None)
    with adam.scope():
        row = create_model(adam.actor, values=values())
        with pytest.raises(Invalid, match="key again") as caught:
            update_model(adam.actor, model_id=row.pk, values=elsewhere)
        assert caught.value.data == {"field": "api_key"}
        with pytest.raises(Invalid, match="headers again"):
            update_model(
                adam.actor,
                model_id=row.pk,
                values=replace(elsewhere, api_key="new", extra_headers=None),
            )
        update_model(adam.actor, model_id=row.pk, values=values(base_url="https://llm.example/v2"))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00"}, "name"),
        ({"model_id": ""}, "model_id"),
        ({"base_url": "llm.example"}, "base_url"),
        ({"base_url": "ftp://llm.example"}, "base_url"),
        ({"base_url": "https://me:pw@llm.example"}, "base_url"),
        ({"base_url": "https://llm.example:99999"}, "base_url"),
        ({"type": ModelType.RERANK}, "type"),
        ({"provider": "magic"}, "type"),
        ({"extra_headers": {"Host": "x"}}, "extra_headers"),
        ({"extra_headers": {"X-A": "a\r\nX-B: b"}}, "extra_headers"),
        ({"max_concurrency": 0}, "max_concurrency"),
        ({"is_default": True, "is_enabled": False}, "is_default"),
    ],
)
def test_unusable_values_name_their_field(
    adam: Persona, fields: dict[str, Any], field: str
) -> None:
    with adam.scope(), pytest.raises(Invalid) as caught:
        create_model(adam.actor, values=values(**fields))
    assert caught.value.data["field"] == field


def test_a_model_keeps_its_type(adam: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values())
        with pytest.raises(Invalid, match="keeps its type"):
            update_model(adam.actor, model_id=row.pk, values=values(type=ModelType.VISION))


def test_a_model_in_use_is_not_deleted(adam: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values(type=ModelType.EMBEDDING))
        make_base(adam.space, embedding_model=row)
        with pytest.raises(Conflict, match="in use by: knowledge base"):
            delete_model(adam.actor, model_id=row.pk)


def test_an_unused_model_is_deleted(adam: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values())
        delete_model(adam.actor, model_id=row.pk)
        assert not AIModel.objects.filter(pk=row.pk).exists()
        with pytest.raises(NotFound):
            delete_model(adam.actor, model_id=uuid.uuid4())


def test_a_space_gets_three_built_in_defaults_once(adam: Persona) -> None:
    with adam.scope():
        first = sync_builtin_models(adam.space.pk)
        versions = {row.pk: row.updated_at for row in AIModel.objects.all()}
        assert sync_builtin_models(adam.space.pk) == first
        assert {row.pk: row.updated_at for row in AIModel.objects.all()} == versions
        for type in (ModelType.CHAT, ModelType.EMBEDDING, ModelType.RERANK):
            assert default_model(adam.space.pk, type).provider == Provider.LOCAL


def test_syncing_keeps_what_admins_decided(adam: Persona) -> None:
    with adam.scope():
        sync_builtin_models(adam.space.pk)
        mine = create_model(adam.actor, values=values(is_default=True))
        builtin = AIModel.objects.get(builtin_key="local-extractive")
        builtin.is_enabled = False
        builtin.name = "Changed by hand"
        builtin.save()
        sync_builtin_models(adam.space.pk)
        builtin.refresh_from_db()
        assert default_model(adam.space.pk, ModelType.CHAT) == mine
        assert not builtin.is_enabled
        assert builtin.name.startswith("Built-in answers")


def test_an_entry_that_left_the_file_goes_unless_it_is_used(
    adam: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    with adam.scope():
        sync_builtin_models(adam.space.pk)
        used = AIModel.objects.get(builtin_key="local-e5")
        make_base(adam.space, embedding_model=used)
        monkeypatch.setattr("providers.services.builtin.read_builtin_models", list)
        sync_builtin_models(adam.space.pk)
        (left,) = AIModel.objects.all()
        assert (left.pk, left.is_enabled, left.is_default) == (used.pk, False, False)


def test_built_in_models_are_not_deleted_or_turned_into_others(adam: Persona) -> None:
    with adam.scope():
        sync_builtin_models(adam.space.pk)
        row = AIModel.objects.get(builtin_key="local-extractive")
        with pytest.raises(Conflict, match="turn it off"):
            delete_model(adam.actor, model_id=row.pk)
        with pytest.raises(Conflict, match="keeps its type and service"):
            update_model(adam.actor, model_id=row.pk, values=values())


def test_parameters_are_stored_without_their_defaults(adam: Persona) -> None:
    parameters = ModelParameters(context_tokens=8192)
    with adam.scope():
        row = create_model(adam.actor, values=values(parameters=parameters))
        assert row.parameters == {"context_tokens": 8192}
        card = get_model_card(adam.actor, model_id=row.pk)
    assert card.parameters == parameters
