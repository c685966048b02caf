from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.fernet import Fernet

from core.embedded.secrets_file import ensure_secrets, read_secrets, throwaway_secrets


def test_first_start_makes_a_file_for_the_owner_only(tmp_path):
    made = ensure_secrets(tmp_path / "secrets.json")
    mode = stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode)
    assert mode == 0o600
    assert read_secrets(tmp_path / "secrets.json") == made


def test_second_start_keeps_every_secret(tmp_path):
    assert ensure_secrets(tmp_path / "s.json") == ensure_secrets(tmp_path / "s.json")


def test_missing_secret_is_added_and_the_others_are_kept(tmp_path):
    file = tmp_path / "s.json"
    before = ensure_secrets(file)
    content = json.loads(file.read_text())
    del content["valkey_password"]
    file.write_text(json.dumps(content))
    after = ensure_secrets(file)
    assert after.django_secret_key == before.django_secret_key
    assert after.valkey_password not in ("", before.valkey_password)


def test_starters_at_once_agree(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: ensure_secrets(tmp_path / "s.json"), range(16)))
    assert len(found) == 1


def test_field_key_fits_the_cipher(tmp_path):
    cipher = Fernet(ensure_secrets(tmp_path / "s.json").field_encryption_key)
    assert cipher.decrypt(cipher.encrypt(b"text")) == b"text"


def test_printing_shows_no_secret():
    secrets = throwaway_secrets()
    assert repr(secrets) == "InstallationSecrets()"


def test_value_that_is_no_text_is_named(tmp_path):
    file = tmp_path / "s.json"
    ensure_secrets(file)
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "valkey_password": 5}))
    with pytest.raises(RuntimeError, match=r"s\.json"):
        ensure_secrets(file)
