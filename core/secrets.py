"""Encrypted columns: one cipher, one list of keys; the first encrypts, all decrypt."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper


class SecretUnreadable(RuntimeError):
    """A stored secret was encrypted with a key that is no longer configured."""


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def encrypt(text: str) -> str:
    """Return the text encrypted with the first key; an empty text stays empty."""
    if not text:
        return ""
    return _cipher(tuple(settings.FIELD_ENCRYPTION_KEYS)).encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """Return the text of a token.

    Raises:
        SecretUnreadable: none of the configured keys fits.
    """
    if not token:
        return ""
    try:
        return _cipher(tuple(settings.FIELD_ENCRYPTION_KEYS)).decrypt(token.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable(
            "A stored secret cannot be read with the configured keys."
        ) from error


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """A text that is encrypted in the database and plain in memory."""

    def get_prep_value(self, value: Any) -> Any:
        """Encrypt on the way in."""
        return encrypt(str(value)) if value is not None else None

    def from_db_value(
        self, value: str | None, expression: object, connection: BaseDatabaseWrapper
    ) -> str | None:
        """Decrypt on the way out."""
        del expression, connection
        return decrypt(value) if value is not None else None
