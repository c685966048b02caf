"""Encrypted columns: one cipher, one list of keys; the first encrypts, all decrypt.

To change the key, run `manage.py rotate_keys`: it puts a new one first and keeps the old one behind
it until everything that `accounts.platform.rotation` knows was encrypted again. A value that no key
fits is not lost: the column keeps it until somebody enters a new one.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.db import models

from core.field_keys import current_keys

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)


class SecretUnreadable(RuntimeError):
    """A stored secret was encrypted with a key that is no longer configured."""


class LostSecret(str):
    """An empty text in place of a stored secret that no configured key fits.

    It carries the encrypted value, so that saving the row keeps it.
    """

    __slots__ = ("token",)
    token: str

    def __new__(cls, token: str) -> LostSecret:
        """Make an empty text that remembers `token`."""
        made = super().__new__(cls, "")
        made.token = token
        return made


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def encrypt(text: str) -> str:
    """Return the text encrypted with the first key; an empty text stays empty."""
    if not text:
        return ""
    return _cipher(current_keys()).encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """Return the text of a token.

    Raises:
        SecretUnreadable: none of the configured keys fits.
    """
    if not token:
        return ""
    try:
        return _cipher(current_keys()).decrypt(token.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable(
            "A stored secret cannot be read with the configured keys."
        ) from error


def is_current(token: str) -> bool:
    """Say whether a token was made with the first key; an empty one needs none."""
    if not token:
        return True
    try:
        _cipher(current_keys()[:1]).decrypt(token.encode())
    except InvalidToken:
        return False
    return True


def renew(token: str) -> str:
    """Return the same secret encrypted with the first key.

    Raises:
        SecretUnreadable: none of the configured keys fits.
    """
    try:
        return _cipher(current_keys()).rotate(token.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable(
            "A stored secret cannot be read with the configured keys."
        ) from error


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """A text that is encrypted in the database, plain in memory, and in no form or dump."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Forms of models and the admin site leave fields out that are not editable.
        super().__init__(*args, **{**kwargs, "editable": False})

    def deconstruct(self) -> Any:
        """Describe the field for migrations, which need not know that it is not editable."""
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("editable", None)
        return name, path, args, kwargs

    def get_prep_value(self, value: Any) -> Any:
        """Encrypt on the way in."""
        if isinstance(value, LostSecret):
            return value.token
        return encrypt(str(value)) if value is not None else None

    def from_db_value(
        self, value: str | None, expression: object, connection: BaseDatabaseWrapper
    ) -> str | None:
        """Decrypt on the way out."""
        del expression, connection
        if value is None:
            return None
        try:
            return decrypt(value)
        except SecretUnreadable:
            logger.warning("a stored secret of %s cannot be read with the configured keys", self)
            return LostSecret(value)

    def value_to_string(self, obj: models.Model) -> str:
        """Leave the secret out of dumps."""
        del obj
        return ""
