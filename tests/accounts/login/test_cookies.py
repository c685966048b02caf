"""Cookies behind HTTPS: bound to this very host, closed to scripts and to plain HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

NAMES = (
    *("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE"),
    *("SESSION_COOKIE_PATH", "SESSION_COOKIE_DOMAIN", "SESSION_COOKIE_AGE", "SESSION_IDLE_SECONDS"),
    "MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN",
)
CODE = f"""
import json
from weknora_site import settings
print(json.dumps({{name: getattr(settings, name, None) for name in {NAMES}}}))
"""


def read(**environment: str) -> dict[str, object]:
    """Return the settings that a start with this environment has."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=settings.BASE_DIR,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_behind_https_cookies_are_bound_to_the_host() -> None:
    found = read(WEKNORA_HTTPS="true")
    assert found["SESSION_COOKIE_NAME"] == "__Host-sessionid"
    assert found["CSRF_COOKIE_NAME"] == "__Host-csrftoken"
    # What the prefix demands; with anything else browsers drop the cookie.
    assert found["SESSION_COOKIE_SECURE"] is found["CSRF_COOKIE_SECURE"] is True
    assert found["SESSION_COOKIE_PATH"] in (None, "/")
    assert found["SESSION_COOKIE_DOMAIN"] is None
    assert found["MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN"] is False


@pytest.mark.parametrize(("days", "minutes"), [("1", "30"), ("90", "0")])
def test_age_and_idle_time_are_settings(days: str, minutes: str) -> None:
    found = read(WEKNORA_SESSION_DAYS=days, WEKNORA_SESSION_IDLE_MINUTES=minutes)
    assert found["SESSION_COOKIE_AGE"] == int(days) * 86_400
    assert found["SESSION_IDLE_SECONDS"] == int(minutes) * 60
