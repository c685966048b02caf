"""Lets a person in again who is locked out: ends the pause; on demand forgets lost second factors."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts.login.audit import record_sign_in
from accounts.login.lockout import unlock
from accounts.login.sessions import end_sessions
from accounts.login.two_factor import forget_factors
from accounts.models import User


class Command(BaseCommand):
    """`manage.py let_in olivia@example.org [--forget-factors]`."""

    help = (
        "End the pause of an account after too many tries, and forget its second factors if lost."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address."""
        parser.add_argument("email")
        parser.add_argument(
            "--forget-factors",
            action="store_true",
            help="remove authenticator app, passkeys and recovery codes, and sign out everywhere: "
            "from then on the password alone lets in; be sure who asks",
        )

    def handle(self, *_: Any, email: str, forget_factors: bool = False, **__: Any) -> None:
        """Do it, and write it to the audit."""
        user = User.objects.filter(email__iexact=email.strip()).first()
        if user is None:
            raise CommandError(f"Nobody has the address {email!r}.")
        unlock(user.email)
        with transaction.atomic():
            count = _forget(user) if forget_factors else 0
            record_sign_in("let_in", user=None, target=user, request=None, factors_forgotten=count)
        self.stdout.write(f"{user.email} can sign in again; {count} factors were forgotten.")


def _forget(user: User) -> int:
    count = forget_factors(user)
    end_sessions(user)
    return count
