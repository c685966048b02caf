"""Writes what happens in an organisation into the audit log of each space that it concerns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.db import models

from accounts.access import Actor
from accounts.models import Space
from accounts.services.audit import record_audit
from core.tenancy import space_scope


def record_in_spaces(
    actor: Actor,
    action: str,
    *,
    target: models.Model,
    spaces: Iterable[int] = (),
    **details: Any,
) -> None:
    """Record in the actor's space and in `spaces`; there the details say from which space it was."""
    with space_scope(actor.space_id):
        record_audit(actor, action, target=target, **details)
    record_elsewhere(actor, action, target=target, spaces=spaces, **details)


def record_elsewhere(
    actor: Actor, action: str, *, target: models.Model, spaces: Iterable[int], **details: Any
) -> None:
    """Record in other spaces that something of the actor's space concerns."""
    others = sorted({each for each in spaces if each != actor.space_id})
    if not others:
        return
    home = str(Space.objects.get(pk=actor.space_id))
    for space_id in others:
        with space_scope(space_id):
            record_audit(
                replace(actor, space_id=space_id), action, target=target, from_space=home, **details
            )
