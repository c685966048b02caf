"""Keys of the platform: made by superusers, working in the space that each request names."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.keys.capabilities import Capability
from accounts.keys.queries import get_platform_key
from accounts.keys.services import IssuedKey, KeyWish, check_wish, described, issue, replace_key
from accounts.models import ApiKey, User
from accounts.platform.administrators import require_administrator
from accounts.services.platform_audit import record_platform_audit
from core.errors import Invalid


def create_platform_key(
    user: User | None, wish: KeyWish, *, ip_address: str | None = None
) -> IssuedKey:
    """Make a key of the platform; `user` is None when a command on the machine asks.

    Raises:
        AccessDenied: the person is no superuser.
        Invalid: name, capabilities or expiry cannot be used, or it names bases.
    """
    if user is not None:
        require_administrator(user)
    check_wish(wish, allowed=frozenset(Capability))
    if wish.base_ids:
        message = _("A key of the installation is not limited to bases of one space.")
        raise Invalid(message, base_ids=[message])
    with transaction.atomic():
        issued = issue(wish, space_id=None, created_by_id=user.pk if user else None)
        record_platform_audit(
            user, "key.create", target=issued.key, ip_address=ip_address, **described(issued.key)
        )
    return issued


def rotate_platform_key(
    user: User, *, key_id: UUID, grace: timedelta, ip_address: str | None = None
) -> IssuedKey:
    """Replace a key of the platform; see `accounts.keys.services.rotate_key`.

    Raises:
        NotFound: there is none, or the person is no superuser.
        Conflict, Invalid: as `rotate_key` has it.
    """
    found = get_platform_key(user, key_id)
    with transaction.atomic():
        issued = replace_key(found.pk, grace=grace, by_id=user.pk)
        record_platform_audit(
            user,
            "key.rotate",
            target=found,
            ip_address=ip_address,
            new_key=str(issued.key.pk),
            grace_seconds=int(grace.total_seconds()),
        )
    return issued


def revoke_platform_key(user: User, *, key_id: UUID, ip_address: str | None = None) -> ApiKey:
    """Let a key of the platform open nothing from the next request on.

    Raises:
        NotFound: there is none, or the person is no superuser.
    """
    found = get_platform_key(user, key_id)
    with transaction.atomic():
        if ApiKey.objects.filter(pk=found.pk, revoked_at=None).update(revoked_at=timezone.now()):
            record_platform_audit(user, "key.revoke", target=found, ip_address=ip_address)
    found.refresh_from_db()
    return found
