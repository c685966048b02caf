"""Writes down what keys do. People are audited by the services they call, machines here as well.

What changes something is a row each: written before the call, concluded after it. Reads are written
before their answer leaves; equal ones within a minute are one row that counts. What cannot be
written does not happen: the call is refused, or its answer kept back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import F

from accounts.access import Actor
from accounts.models import AuditEvent
from accounts.services.audit import Outcome, conclude_audit, record_audit
from core.errors import ServiceUnavailable

SAME_SECONDS = 60
READS = ("GET", "HEAD", "OPTIONS")
_UNAUDITED = "The audit log cannot be written now, and without it no key works; try again later."


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request of a key or external person."""

    route: str
    method: str
    base_id: UUID | None
    target_id: str

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing."""
        return self.method in READS


def begin_change(actor: Actor, call: Call) -> AuditEvent | None:
    """Write down that a call begins which may change something; call it in the space's scope.

    Raises:
        ServiceUnavailable: it cannot be written; the call must not happen.
    """
    with _or_refused():
        return _record(actor, call, "begun")


def end_change(event: AuditEvent, *, status: int) -> None:
    """Write down how it ended."""
    conclude_audit(event, outcome=_outcome_of(status), status=status)


def record_read(actor: Actor, call: Call, *, status: int) -> None:
    """Write down a read before its answer leaves; call it in the space's scope.

    Raises:
        ServiceUnavailable: it cannot be written; the answer must not leave.
    """
    outcome = _outcome_of(status)
    place = _place(actor, call, outcome)
    with _or_refused():
        if _counted(place):
            return
        event = _record(actor, call, outcome, status=status)
    if event is not None:
        cache.set(place, event.pk, timeout=SAME_SECONDS)


@contextmanager
def _or_refused() -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        raise ServiceUnavailable(_UNAUDITED) from error


def _record(
    actor: Actor, call: Call, outcome: Outcome, *, status: int | None = None
) -> AuditEvent | None:
    known = {} if status is None else {"status": status}
    details: dict[str, Any] = {"method": call.method, "target_id": call.target_id, **known}
    return record_audit(
        actor,
        f"api.{call.route}",
        outcome=outcome,
        base_id=call.base_id,
        **details,
    )


def _outcome_of(status: int) -> Outcome:
    if status == 403:
        return "refused"
    return "failed" if status >= 400 else "done"


def _counted(place: str) -> bool:
    """Count one more of the same read; False when there was none within the minute."""
    known = cache.get(place)
    if known is None:
        return False
    return AuditEvent.objects.filter(pk=known).update(count=F("count") + 1) == 1


def _place(actor: Actor, call: Call, outcome: Outcome) -> str:
    who = f"{actor.space_id}|{actor.principal}|{actor.name}"
    same = f"{who}|{call.route}|{call.method}|{call.base_id}|{outcome}"
    return f"api-use:{hashlib.sha256(same.encode()).hexdigest()}"
