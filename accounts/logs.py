"""Keeps secrets that stand in an address out of the log."""

from __future__ import annotations

import logging
import re

_SECRET = re.compile(r"(/(?:invitation|account/password/reset/key|account/confirm-email)/)[^/\s]+")
_LOGGERS = ("django.request", "django.security.csrf")
"""Those that write the path of a request that failed."""


class HideSecretPaths(logging.Filter):
    """Replaces the secret part of a logged path."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; every record is logged."""
        if isinstance(record.args, tuple):
            record.args = tuple(_without_secret(each) for each in record.args)
        return True


def hide_secret_paths() -> None:
    """Let Django's loggers of requests hide secrets; called once when the app is ready."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(HideSecretPaths())


def _without_secret(value: object) -> object:
    return _SECRET.sub(r"\1…", value) if isinstance(value, str) else value
