"""Addresses in mails, which know no request to ask for the host."""

from __future__ import annotations

from django.conf import settings


def full_address(path: str) -> str:
    """Return a path with the first of WEKNORA_ORIGINS before it; the path alone without one."""
    origins = [each for each in settings.CSRF_TRUSTED_ORIGINS if "*" not in each]
    return f"{origins[0].rstrip('/')}{path}" if origins else path
