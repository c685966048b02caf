"""The part of the one password policy that Django does not bring.

The policy itself is `AUTH_PASSWORD_VALIDATORS`: sign-up, invitation, change, reset, the admin site
and `manage.py changepassword` all ask it. No door trims or normalises what was typed.
"""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class MaximumLengthValidator:
    """Refuses a password so long that hashing it is a burden; far above what anybody types."""

    def __init__(self, max_length: int = 1000) -> None:
        self.max_length = max_length

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Return when the password is short enough.

        Raises:
            ValidationError: it is longer.
        """
        del user
        if len(password) > self.max_length:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        """Say the rule in words."""
        return _("Your password can have at most %(number)d characters.") % {
            "number": self.max_length
        }
