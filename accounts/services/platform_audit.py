"""The audit of the installation itself: one function writes it."""

from __future__ import annotations

from typing import Any, Literal

from django.db import models

from accounts.models import PlatformAuditEvent, User
from core.jsonvalues import storable


def record_platform_audit(
    user: User | None,
    action: str,
    *,
    target: models.Model | None = None,
    target_name: str = "",
    outcome: Literal["done", "refused"] = "done",
    ip_address: str | None = None,
    **details: Any,
) -> PlatformAuditEvent:
    """Write down that `user` did, or was refused, `action`; in the caller's transaction.

    `user` is None when the installation itself did it: its start, its housekeeping, a command.
    `details` are JSON values and hold no secrets and no texts of documents.
    """
    return PlatformAuditEvent.objects.create(
        user=user,
        actor_name=str(user)[:200] if user is not None else "",
        action=action,
        outcome=outcome,
        target_type=target._meta.label_lower if target is not None else "",
        target_id=str(target.pk)[:60] if target is not None else "",
        target_name=(target_name or (str(target) if target is not None else ""))[:200],
        ip_address=ip_address,
        details=storable(details),
    )
