"""The audit log: what was done and what was refused is written here and nowhere else.

A record that cannot be written is logged and stops nothing, except for the actions of
`MUST_BE_WRITTEN`: those are allowed only because somebody can see later that they were done.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from django.db import DatabaseError, connection, models, transaction
from django.db.models import F
from django.utils import timezone

from accounts.access import Actor
from accounts.models import AuditEvent, User
from core.doors import current_door
from core.errors import AccessDenied
from core.jsonvalues import storable, storable_text
from core.tenancy import space_scope

logger = logging.getLogger(__name__)

Outcome = Literal["done", "refused", "failed", "begun"]
"""`begun` is a machine's call that was let in; its end is written into the same row, once."""
MUST_BE_WRITTEN = (
    "conversation.open_other",
    "space.conversation_opening",
    "space.hand_over",
    "space.delete",
    "space.export",
    "api.",
    "audit.",
    "erasure.",
    "key.",
    "lens.",
    "platform.",
)
"""Beginnings of actions that do not happen without their record: looking into what is another
person's, taking everything out or away, opening a door for a machine, powers over all spaces."""
DENIED = "access.denied"
SAME_WITHIN = timedelta(minutes=1)
_REFUSALS_LOCK = 0x41554454
"""First key of the advisory locks under which equal refusals are counted in turn."""


def record_audit(
    actor: Actor,
    action: str,
    *,
    target: models.Model | None = None,
    outcome: Outcome = "done",
    base_id: UUID | None = None,
    **details: Any,
) -> AuditEvent | None:
    """Write down that `actor` did, or was refused, `action`; in the caller's transaction.

    It is an event of the actor's space, whichever scope is open. `base_id` is the base it was about, for the base's own page; rows that know theirs need not be
    told. `details` are JSON values and hold no secrets and no texts of documents. Returns None when
    it could not be written and the action may go on without.

    Raises:
        DatabaseError: it could not be written, and the action is one of `MUST_BE_WRITTEN`.
    """
    event = _event(actor, action, target, outcome, base_id=base_id, details=details)
    try:
        with transaction.atomic(), space_scope(actor.space_id):
            event.save()
    except DatabaseError:
        if action.startswith(MUST_BE_WRITTEN):
            raise
        logger.exception("%s of space %s could not be audited", action, actor.space_id)
        return None
    return event


def conclude_audit(event: AuditEvent, *, outcome: Outcome, **details: Any) -> None:
    """Write how a call that was `begun` ended; the database lets that be said once.

    When it cannot be written, the row goes on saying that the call was begun.
    """
    known = {**event.details, **storable(details)}
    try:
        with transaction.atomic(), space_scope(event.space_id):
            rows = AuditEvent.objects.filter(pk=event.pk, outcome="begun")
            rows.update(outcome=outcome, details=known)
    except DatabaseError:
        logger.exception("The end of %s could not be audited", event.action)


def record_refusal(actor: Actor, refusal: AccessDenied) -> None:
    """Write down that the actor was refused something; equal refusals within a minute are one row.

    Every door calls it once for what its service raised: pages, sockets, the API.
    """
    target = refusal.target if isinstance(refusal.target, models.Model) else None
    details = {"attempted": refusal.attempted, "reason": refusal.message[:300]}
    event = _event(actor, DENIED, target, "refused", base_id=None, details=details)
    try:
        with transaction.atomic(), space_scope(actor.space_id):
            _lock_equal(event)
            known = AuditEvent.objects.filter(
                space_id=event.space_id,
                action=DENIED,
                actor_kind=event.actor_kind,
                actor_id=event.actor_id,
                path=event.path,
                target_type=event.target_type,
                target_id=event.target_id,
                created_at__gt=timezone.now() - SAME_WITHIN,
                details__attempted=refusal.attempted,
            ).first()
            if known is None:
                event.save()
            else:
                AuditEvent.objects.filter(pk=known.pk).update(count=F("count") + 1)
    except DatabaseError:
        logger.exception("A refusal in space %s could not be audited", actor.space_id)


def _event(
    actor: Actor,
    action: str,
    target: models.Model | None,
    outcome: Outcome,
    *,
    base_id: UUID | None,
    details: dict[str, Any],
) -> AuditEvent:
    door = current_door()
    if actor.home_space_id is not None:
        details = {**details, "guest_of_space": actor.home_space_id}
    return AuditEvent(
        space_id=actor.space_id,
        actor_kind=actor.kind,
        actor_id=storable_text(str(actor.id))[:60],
        actor_name=storable_text(_name_of(actor)),
        action=action,
        outcome=outcome,
        target_type=_type_of(target),
        target_id=str(target.pk)[:60] if target is not None else "",
        target_name=storable_text(str(target))[:200] if target is not None else "",
        path=door.path,
        ip_address=door.ip_address,
        base_id=base_id or _base_of(target),
        details=storable(details),
    )


def _type_of(target: models.Model | None) -> str:
    return target._meta.label_lower[:60] if target is not None else ""


def _base_of(target: models.Model | None) -> UUID | None:
    found = getattr(target, "base_id", None)
    return found if isinstance(found, UUID) else None


def _name_of(actor: Actor) -> str:
    if actor.name:
        return actor.name[:200]
    if actor.user_id is None:
        return f"{actor.kind} {actor.id}"[:200]
    user = User.objects.filter(pk=actor.user_id).first()
    return str(user)[:200] if user is not None else f"{actor.kind} {actor.id}"[:200]


def _lock_equal(event: AuditEvent) -> None:
    """Let equal refusals take turns, so that two of them at once are one row as well."""
    same = f"{event.space_id}:{event.actor_kind}:{event.actor_id}:{event.path}:{event.target_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_REFUSALS_LOCK, same])
