"""Who administers the installation: superusers that are switched on."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import AccessDenied


def administrators() -> QuerySet[User]:
    """Return the people who administer the installation."""
    return User.objects.filter(is_active=True, is_superuser=True)


def is_administrator(user: object) -> bool:
    """Say whether somebody administers the installation."""
    return isinstance(user, User) and user.is_active and user.is_superuser


def require_administrator(user: object) -> User:
    """Return the person when they administer the installation.

    Raises:
        AccessDenied: they do not.
    """
    if not isinstance(user, User) or not is_administrator(user):
        raise AccessDenied(_("Only administrators of the installation may do this."))
    return user
