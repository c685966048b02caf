"""Secrets are encrypted at rest, survive a change of keys, and show up nowhere else."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.core import serializers
from django.db import connection
from django.forms import modelform_factory
from pytest_django import Settings

from core.secrets import LostSecret, SecretUnreadable, decrypt, encrypt
from core.tenancy import space_scope
from providers.constants import ModelType, Provider
from providers.models import AIModel
from tests.personas import Persona

SECRET = "sk-a-very-secret-key"
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def make_row(persona: Persona) -> AIModel:
    with persona.scope():
        return AIModel.objects.create(
            space=persona.space,
            name="Model",
            type=ModelType.CHAT,
            provider=Provider.OPENAI_COMPATIBLE,
            model_id="m",
            api_key=SECRET,
        )


def stored(row: AIModel) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT api_key FROM providers_aimodel WHERE id = %s", [row.pk])
        return str(cursor.fetchone()[0])


def test_a_text_survives_the_round_trip_and_does_not_show_in_its_token() -> None:
    token = encrypt("Schlüssel 密钥")
    assert "Schl" not in token
    assert decrypt(token) == "Schlüssel 密钥"
    assert encrypt("") == decrypt("") == ""


def test_the_first_key_encrypts_and_all_decrypt(settings: Settings) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    token = encrypt(SECRET)
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    assert decrypt(token) == SECRET
    fresh = encrypt(SECRET)
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    assert decrypt(fresh) == SECRET
    with pytest.raises(SecretUnreadable):
        decrypt(token)


def test_the_column_holds_no_plain_text(olivia: Persona) -> None:
    row = make_row(olivia)
    assert SECRET not in stored(row)
    with olivia.scope():
        assert AIModel.objects.get(pk=row.pk).api_key == SECRET


def test_a_secret_without_its_key_reads_empty_and_is_kept(
    olivia: Persona, settings: Settings
) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    row = make_row(olivia)
    before = stored(row)
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    with olivia.scope():
        read = AIModel.objects.get(pk=row.pk)
        assert read.api_key == ""
        assert isinstance(read.api_key, LostSecret)
        read.save()
    assert stored(row) == before


def test_secrets_are_in_no_dump_form_or_representation(olivia: Persona) -> None:
    row = make_row(olivia)
    with space_scope(olivia.space.pk):
        assert SECRET not in serializers.serialize("json", [row])
        form = modelform_factory(AIModel, fields="__all__")(instance=row)
        assert "api_key" not in form.fields
    assert SECRET not in repr(row) + str(row)
