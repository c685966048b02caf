"""Passwords that the installation makes up; they are shown once and kept nowhere in clear."""

from __future__ import annotations

import secrets

_ALPHABET = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody mistakes for one another."""


def make_up_password() -> str:
    """Return a password of 115 bits that can be read out and typed."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))
