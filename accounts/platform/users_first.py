"""The first administrator of an installation whose people came before one: named by the environment.

It works at a start and only while nobody administers the installation; it makes no account, and as
soon as there is an administrator the variable does nothing any more.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.platform.administrators import administrators
from accounts.platform.users import give_rights
from accounts.services.platform_audit import record_platform_audit

VARIABLE = "WEKNORA_BOOTSTRAP_ADMIN_EMAIL"


def promote_first_administrator() -> list[str]:
    """Make the named person the administrator, if there is none; return what to say about it."""
    email = settings.BOOTSTRAP_ADMIN_EMAIL.strip().lower()
    if not email or administrators().exists():
        return []
    with transaction.atomic():
        user = User.objects.select_for_update().filter(email__iexact=email, is_active=True).first()
        if user is None:
            return [f"{VARIABLE}: nobody has signed up as {email}. Sign up, then start again."]
        if not _is_proven(user):
            return [f"{VARIABLE}: {email} is not confirmed. Confirm it, then start again."]
        give_rights(user)
        record_platform_audit(
            None, "person.promote", target=user, target_name=user.email, by=VARIABLE
        )
    return [f"{user.email} is now the administrator ({VARIABLE})."]


def _is_proven(user: User) -> bool:
    """Say whether the address is the person's, where the installation asks people to prove it."""
    if settings.ACCOUNT_EMAIL_VERIFICATION != "mandatory":
        return True
    own = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return bool(own.exists())
