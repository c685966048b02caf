"""`manage.py check --deploy` has nothing to say about an installation behind HTTPS."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys

from cryptography.fernet import Fernet

from core.embedded.layout import REPOSITORY_DIR


def test_the_deployment_check_is_clean_under_production_settings(tmp_path: object) -> None:
    environment = {
        **os.environ,
        "WEKNORA_DATA_DIR": str(tmp_path),
        "WEKNORA_HTTPS": "true",
        "WEKNORA_ALLOWED_HOSTS": "weknora.example.org",
        "WEKNORA_ORIGINS": "https://weknora.example.org",
        "WEKNORA_SECRET_KEY": secrets.token_urlsafe(60),
        "WEKNORA_FIELD_KEYS": Fernet.generate_key().decode(),
    }
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "manage.py",
            "check",
            "--deploy",
            "--fail-level",
            "WARNING",
        ],
        cwd=REPOSITORY_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
