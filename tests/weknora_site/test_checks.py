from __future__ import annotations

import pytest
from django.core.checks import run_checks

from core.embedded.layout import Layout
from core.embedded.secrets_file import throwaway_secrets


def ids(*, deploy: bool = False) -> set[str]:
    """Return the ids of our findings; each must say what to do."""
    found = [
        one
        for one in run_checks(include_deployment_checks=deploy)
        if (one.id or "").startswith("weknora.")
    ]
    assert all(one.hint for one in found)
    return {str(one.id) for one in found}


@pytest.fixture(autouse=True)
def _sound_settings(settings, tmp_path):
    """What no check complains about, whatever the environment of the test run says."""
    settings.FIELD_ENCRYPTION_KEYS = [throwaway_secrets().field_encryption_key]
    settings.LISTEN_HOST = "127.0.0.1"
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    settings.CSRF_TRUSTED_ORIGINS = []
    settings.BEHIND_HTTPS = settings.DEBUG = False
    settings.DATABASE_POOL = 0
    settings.EMAIL_HOST = ""
    settings.EMBEDDED = Layout(tmp_path)
    settings.SECRETS_ARE_KEPT = True


def test_sound_settings_have_no_finding():
    assert ids(deploy=True) == set()


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"FIELD_ENCRYPTION_KEYS": []}, "weknora.E001"),
        ({"FIELD_ENCRYPTION_KEYS": ["not a key"]}, "weknora.E002"),
        ({"LISTEN_HOST": "0.0.0.0"}, "weknora.W003"),
        ({"LISTEN_HOST": "0.0.0.0", "ALLOWED_HOSTS": ["*"]}, "weknora.W004"),
        ({"CSRF_TRUSTED_ORIGINS": ["example.org"]}, "weknora.E005"),
        (
            {"CSRF_TRUSTED_ORIGINS": ["http://example.org"], "BEHIND_HTTPS": True},
            "weknora.E005",
        ),
        (
            {"DEBUG": True, "LISTEN_HOST": "0.0.0.0", "ALLOWED_HOSTS": ["example.org"]},
            "weknora.E006",
        ),
        ({"DATABASE_POOL": 15}, "weknora.E008"),
        ({"DATABASE_POOL": 24, "INGEST_THREADS": 21}, "weknora.E008"),
        ({"JOB_LEASE_SECONDS": 1.0, "JOB_HEARTBEAT_SECONDS": 2.0}, "weknora.E009"),
        (
            {
                "EMAIL_HOST": "mail.example.org",
                "EMAIL_HOST_PASSWORD": "x",
                "EMAIL_USE_TLS": False,
                "EMAIL_USE_SSL": False,
            },
            "weknora.W010",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_combination_is_found(settings, changes, finding):
    for name, value in changes.items():
        setattr(settings, name, value)
    assert ids() == {finding}


def test_secrets_that_others_can_read_are_found(settings):
    file = settings.EMBEDDED.secrets_file
    file.write_text("{}")
    file.chmod(0o644)
    assert ids() == {"weknora.W007"}
    file.chmod(0o600)
    assert ids() == set()


def test_serving_without_kept_secrets_is_found_before_deployment(settings):
    settings.SECRETS_ARE_KEPT = False
    assert ids() == set()
    assert ids(deploy=True) == {"weknora.E011"}
