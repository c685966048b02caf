"""Writes what happens at the door to the audit of the installation: signing in belongs to no space."""

from __future__ import annotations

import logging
from typing import Any, Literal

from allauth.account.adapter import get_adapter
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.http import HttpRequest

from accounts.models import PlatformAuditEvent, User
from core.jsonvalues import storable

logger = logging.getLogger(__name__)
QUIET_SECONDS = 60


def record_sign_in(
    action: str,
    *,
    user: User | None,
    request: HttpRequest | None,
    outcome: Literal["done", "refused"] = "done",
    target: User | None = None,
    **details: Any,
) -> None:
    """Write down that `user` did, or was refused, `login.<action>`; never a secret.

    An audit that cannot be written is logged and does not keep people out: the pause after too many
    tries does not depend on it.
    """
    about = target or user
    try:
        with transaction.atomic():
            PlatformAuditEvent.objects.create(
                user=user,
                actor_name=str(user)[:200] if user else "",
                action=f"login.{action}",
                outcome=outcome,
                target_type="accounts.user" if about else "",
                target_id=str(about.pk) if about else "",
                target_name=about.email[:200] if about else "",
                ip_address=_address_of(request),
                details=storable(details),
            )
    except DatabaseError:
        logger.exception("login.%s could not be written to the audit", action)


def record_failure(*, user: User | None, request: HttpRequest, method: str) -> None:
    """Write down a refused try, at most once a minute for each person and address.

    For an address that nobody has, who tried is not kept: it may be a password in the wrong field.
    """
    key = f"audit:login:{user.pk if user else 0}:{_address_of(request)}"
    if cache.add(key, 1, timeout=QUIET_SECONDS):
        record_sign_in("failed", user=user, request=request, outcome="refused", method=method)


def _address_of(request: HttpRequest | None) -> str | None:
    return str(get_adapter().get_client_ip(request)) if request is not None else None
