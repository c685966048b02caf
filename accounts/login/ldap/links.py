"""Remembers which account belongs to which entry of the directory, so that an address may change."""

from __future__ import annotations

import hashlib

from allauth.socialaccount.models import SocialAccount

from accounts.login.external import DIRECTORY
from accounts.models import User


def link_of(distinguished_name: str) -> User | None:
    """Return the account of an entry; None when it was never seen."""
    link = SocialAccount.objects.filter(provider=DIRECTORY, uid=_uid(distinguished_name))
    found = link.select_related("user").first()
    return found.user if found else None


def remember_link(user: User, distinguished_name: str) -> None:
    """Link the account to the entry."""
    SocialAccount.objects.update_or_create(
        provider=DIRECTORY,
        uid=_uid(distinguished_name),
        defaults={"user": user, "extra_data": {"dn": distinguished_name}},
    )


def _uid(distinguished_name: str) -> str:
    # Hashed: a distinguished name may be longer than the column.
    return hashlib.sha256(distinguished_name.lower().encode()).hexdigest()
