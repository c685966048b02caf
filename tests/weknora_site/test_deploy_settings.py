"""`manage.py check --deploy` is clean on a sub-path, too, and cookies stay on it."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys

import pytest
from cryptography.fernet import Fernet

from core.embedded.layout import REPOSITORY_DIR

ASK = (
    "from django.conf import settings as s; print(s.SESSION_COOKIE_NAME, s.SESSION_COOKIE_PATH,"
    " s.CSRF_COOKIE_PATH, s.STATIC_URL, s.LOGIN_REDIRECT_URL)"
)


def manage(*arguments: str, data_dir: object, root_path: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "WEKNORA_DATA_DIR": str(data_dir),
        "WEKNORA_HTTPS": "true",
        "WEKNORA_ROOT_PATH": root_path,
        "WEKNORA_ALLOWED_HOSTS": "weknora.example.org",
        "WEKNORA_SECRET_KEY": secrets.token_urlsafe(60),
        "WEKNORA_FIELD_KEYS": Fernet.generate_key().decode(),
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", "manage.py", *arguments],
        cwd=REPOSITORY_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_deployment_check_is_clean_below_a_path(tmp_path: object) -> None:
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING", data_dir=tmp_path, root_path="/weknora"
    )
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    ("root_path", "expected"),
    [
        ("", ["__Host-sessionid", "/", "/", "/static/", "/"]),
        (
            "/weknora",
            ["__Secure-sessionid", "/weknora/", "/weknora/", "/weknora/static/", "/weknora/"],
        ),
    ],
    ids=["host", "path"],
)
def test_cookies_and_addresses_fit_the_path(
    tmp_path: object, root_path: str, expected: list[str]
) -> None:
    done = manage("shell", "-v", "0", "-c", ASK, data_dir=tmp_path, root_path=root_path)
    assert done.stdout.split() == expected, done.stderr
