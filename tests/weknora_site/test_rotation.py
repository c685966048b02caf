"""A new master key: everything stored is encrypted with it, and the old one is dropped."""

from __future__ import annotations

import ast
import json
from io import StringIO
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from accounts.platform import rotation
from accounts.platform.rotation import places, renew_everything
from core.embedded.secrets_file import ensure_secrets, read_secrets
from core.field_keys import add_key, current_keys
from core.secrets import EncryptedTextField, decrypt, encrypt, is_current
from core.tenancy import space_scope
from providers.models import AIModel
from tests.factories.providers import make_model
from tests.personas import Persona

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def key_file(tmp_path: Path, settings: Settings) -> Path:
    """The installation's file with its one key."""
    path = tmp_path / "secrets.json"
    made = ensure_secrets(path)
    settings.FIELD_KEYS_FILE = path
    settings.FIELD_ENCRYPTION_KEYS = [made.field_encryption_key]
    return path


def keys_of(path: Path) -> list[str]:
    found = read_secrets(path)
    assert found is not None
    return found.field_encryption_key.split(",")


def stored(table: str, column: str) -> list[str]:
    """What stands in the column, as the disk has it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column}::text FROM {table}")
        return [value for (value,) in cursor.fetchall()]


@pytest.fixture
def secrets(cora: Persona, key_file: Path) -> AIModel:
    """A key of a model and a second factor."""
    Authenticator.objects.create(
        user=cora.user,
        type="totp",
        data={"secret": encrypt("totp-seed"), "name": "phone", "codes": [encrypt("one")]},
    )
    return make_model(cora.space, api_key="sk-very-secret")


@pytest.mark.django_db
def test_everything_is_encrypted_with_the_new_key_and_the_old_one_dropped(
    secrets: AIModel, key_file: Path
) -> None:
    (old,) = keys_of(key_file)
    out = StringIO()
    call_command("rotate_keys", stdout=out)
    (new,) = keys_of(key_file)
    assert new != old
    (token,) = [each for each in stored("providers_aimodel", "api_key") if each]
    assert Fernet(new).decrypt(token.encode()) == b"sk-very-secret"
    (data,) = [json.loads(each) for each in stored("mfa_authenticator", "data")]
    assert Fernet(new).decrypt(data["secret"].encode()) == b"totp-seed"
    assert Fernet(new).decrypt(data["codes"][0].encode()) == b"one"
    assert data["name"] == "phone"
    assert key_file.stat().st_mode & 0o777 == 0o600
    with space_scope(secrets.space_id):
        assert AIModel.objects.get(pk=secrets.pk).api_key == "sk-very-secret"


@pytest.mark.django_db
def test_a_killed_rotation_goes_on_with_the_key_it_had_made(
    secrets: AIModel, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rotation, "_write", dies)
    with pytest.raises(KeyboardInterrupt):
        call_command("rotate_keys")
    new, _ = keys_of(key_file)
    with space_scope(secrets.space_id):
        assert AIModel.objects.get(pk=secrets.pk).api_key == "sk-very-secret"
    monkeypatch.undo()
    call_command("rotate_keys")
    assert keys_of(key_file) == [new]
    with space_scope(secrets.space_id):
        assert AIModel.objects.get(pk=secrets.pk).api_key == "sk-very-secret"


def test_a_running_process_hears_of_a_new_key_by_itself(key_file: Path) -> None:
    before = encrypt("word")
    assert is_current(before)
    add_key()
    assert len(current_keys()) == 2
    assert not is_current(before)
    assert decrypt(before) == "word"
    assert Fernet(current_keys()[0]).decrypt(encrypt("word").encode()) == b"word"


@pytest.mark.django_db
def test_a_secret_that_no_key_fits_is_told_of_and_kept(secrets: AIModel, key_file: Path) -> None:
    foreign = Fernet(Fernet.generate_key()).encrypt(b"lost").decode()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE providers_aimodel SET api_key = %s WHERE id = %s", [foreign, secrets.pk]
        )
    add_key()
    done = renew_everything()
    assert done.unreadable == {"providers.AIModel.api_key": 1}
    assert foreign in stored("providers_aimodel", "api_key")


def test_keys_of_the_environment_are_not_made_here(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.FIELD_KEYS_FILE = None
    with pytest.raises(SystemExit):
        call_command("rotate_keys")
    assert "WEKNORA_FIELD_KEYS" in capsys.readouterr().err


def test_every_encrypted_column_is_rotated() -> None:
    known = {place.label for place in places()}
    for model in apps.get_models(include_auto_created=True):
        for each in model._meta.local_concrete_fields:
            if isinstance(each, EncryptedTextField):
                assert f"{model._meta.label}.{each.column}" in known
    assert "providers.AIModel.api_key" in known


ENCRYPTS_BY_HAND = {
    "accounts/login/two_factor.py": "mfa.Authenticator.data, a place of its own",
}
"""Modules that store what `core.secrets.encrypt` makes, and where the rotation finds it."""


def test_who_encrypts_by_hand_says_where_the_rotation_finds_it() -> None:
    found = set()
    for package in ("accounts", "agents", "knowledge", "providers", "integrations", "weknora_site"):
        for path in (ROOT / package).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if not isinstance(node, ast.ImportFrom) or node.module != "core.secrets":
                    continue
                if any(alias.name == "encrypt" for alias in node.names):
                    found.add(str(path.relative_to(ROOT)))
    assert found == set(ENCRYPTS_BY_HAND)
