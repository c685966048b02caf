"""How allauth fits into this product."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.http import HttpRequest

from accounts.models import User
from accounts.services.signup import give_personal_space, signup_is_open


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Signing up follows the installation's registration mode."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Close allauth's sign-up page where only the invited may sign up."""
        return signup_is_open()

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Save a new person together with the space they begin in."""
        with transaction.atomic():
            saved: User = super().save_user(request, user, form, commit)
            if commit:
                give_personal_space(saved)
        return saved
