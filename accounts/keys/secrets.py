"""Makes and recognises the secrets of keys. They are random, so a plain hash of them suffices."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

KEY_PREFIX = "wk-"
SIGNING_PREFIX = "wks-"
_RANDOM_BYTES = 32
_SHOWN_CHARACTERS = len(KEY_PREFIX) + 8


@dataclass(frozen=True, kw_only=True)
class NewSecret:
    """A fresh key: the text that is shown once, and what is kept of it."""

    text: str
    prefix: str
    """By which people recognise it."""
    hash: str


def new_secret() -> NewSecret:
    """Make a key of 256 random bits."""
    text = KEY_PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    return NewSecret(text=text, prefix=text[:_SHOWN_CHARACTERS], hash=hash_of(text))


def new_signing_secret() -> str:
    """Make a secret of 256 random bits with which an application signs its users' tokens."""
    return SIGNING_PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)


def hash_of(text: str) -> str:
    """Return the hexadecimal SHA-256 by which a key is found."""
    return hashlib.sha256(text.encode()).hexdigest()
