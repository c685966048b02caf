"""Use cases of keys: make, rotate, revoke. What is secret leaves here once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.keys.capabilities import FOR_BASES, PLATFORM_ONLY, Capability
from accounts.keys.queries import get_key, known_base_ids, state_of
from accounts.keys.secrets import new_secret, new_signing_secret
from accounts.models import ApiKey
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, LimitReached
from core.names import clean_name

NAME_LENGTH = 120
MAX_KEYS = 200
LONGEST_GRACE = timedelta(days=30)


@dataclass(frozen=True, kw_only=True)
class KeyWish:
    """What a new key is to be."""

    name: str
    capabilities: frozenset[Capability]
    base_ids: tuple[UUID, ...] = ()
    """Only these bases; empty: all of the space."""
    expires_at: datetime | None = None
    """None: until it is revoked."""


@dataclass(frozen=True, kw_only=True)
class IssuedKey:
    """A key with its secrets, which nobody can read again."""

    key: ApiKey
    text: str
    signing_secret: str


def create_key(actor: Actor, wish: KeyWish) -> IssuedKey:
    """Make a key of the actor's space.

    Raises:
        AccessDenied: the actor is no owner, or no person.
        Invalid: name, capabilities, bases or expiry cannot be used; `data` names the field.
        LimitReached: the space has as many live keys as it may.
    """
    require(actor, "create", ApiKey)
    _check(wish, allowed=frozenset(Capability) - PLATFORM_ONLY)
    _check_bases(actor, wish)
    with transaction.atomic():
        rows = ApiKey.objects.filter(space_id=actor.space_id, revoked_at=None)
        if rows.count() >= MAX_KEYS:
            raise LimitReached(
                _("A space has %(limit)s keys at most; revoke some first.") % {"limit": MAX_KEYS}
            )
        issued = issue(wish, space_id=actor.space_id, created_by_id=actor.user_id)
        record_audit(actor, "key.create", target=issued.key, **described(issued.key))
    return issued


def rotate_key(actor: Actor, *, key_id: UUID, grace: timedelta) -> IssuedKey:
    """Replace a key; the old one works on for `grace`, then it has expired.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is not active: rotated before, expired or revoked.
        Invalid: the grace is negative or over 30 days.
    """
    found = get_key(actor, key_id)
    require(actor, "change", found)
    with transaction.atomic():
        issued = replace_key(key_id, grace=grace, by_id=actor.user_id)
        details: dict[str, Any] = {
            "grace_seconds": int(grace.total_seconds()),
            "new_key": str(issued.key.pk),
        }
        record_audit(actor, "key.rotate", target=found, **details)
    return issued


def revoke_key(actor: Actor, *, key_id: UUID) -> ApiKey:
    """Let a key open nothing from the next request on; a revoked one stays as it is.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    found = get_key(actor, key_id)
    require(actor, "delete", found)
    with transaction.atomic():
        changed = ApiKey.objects.filter(pk=found.pk, revoked_at=None)
        if changed.update(revoked_at=timezone.now()):
            record_audit(actor, "key.revoke", target=found)
    found.refresh_from_db()
    return found


def issue(wish: KeyWish, *, space_id: int | None, created_by_id: int | None) -> IssuedKey:
    """Store a new key; whether it may be made was asked before."""
    secret, signing = new_secret(), new_signing_secret()
    key = ApiKey.objects.create(
        space_id=space_id,
        name=_checked_name(wish.name),
        prefix=secret.prefix,
        key_hash=secret.hash,
        signing_secret=signing,
        capabilities=sorted(one.value for one in wish.capabilities),
        base_ids=sorted(str(each) for each in wish.base_ids),
        created_by_id=created_by_id,
        expires_at=wish.expires_at,
    )
    return IssuedKey(key=key, text=secret.text, signing_secret=signing)


def replace_key(key_id: UUID, *, grace: timedelta, by_id: int | None) -> IssuedKey:
    """Store the key that follows another one; call it in a transaction.

    Raises:
        Conflict: the key is not active.
        Invalid: the grace is negative or over 30 days.
    """
    if not timedelta(0) <= grace <= LONGEST_GRACE:
        raise Invalid(_("The old key can work on for 30 days at most."))
    old = ApiKey.objects.select_for_update().get(pk=key_id)
    if state_of(old) != "active":
        raise Conflict(_("Only an active key can be rotated; create a new one."))
    secret, signing = new_secret(), new_signing_secret()
    new = ApiKey.objects.create(
        space_id=old.space_id,
        identity=old.identity,
        name=old.name,
        prefix=secret.prefix,
        key_hash=secret.hash,
        signing_secret=signing,
        capabilities=old.capabilities,
        base_ids=old.base_ids,
        created_by_id=by_id,
        expires_at=old.expires_at,
    )
    ends_at = timezone.now() + grace
    old.expires_at = min(old.expires_at, ends_at) if old.expires_at else ends_at
    old.replaced_by = new
    old.save(update_fields=["expires_at", "replaced_by"])
    return IssuedKey(key=new, text=secret.text, signing_secret=signing)


def check_wish(wish: KeyWish, *, allowed: Collection[Capability]) -> None:
    """Refuse what no key can be.

    Raises:
        Invalid: name, capabilities or expiry cannot be used; `data` names the field.
    """
    _check(wish, allowed=allowed)


def _checked_name(name: str) -> str:
    """Return the name cleaned.

    Raises:
        Invalid: nothing is left, or it is too long.
    """
    cleaned = clean_name(name)
    if not cleaned or len(cleaned) > NAME_LENGTH:
        message = f"A key needs a name of at most {NAME_LENGTH} characters."
        raise Invalid(message, name=[message])
    return cleaned


def described(key: ApiKey) -> dict[str, Any]:
    """Return what the audit keeps of a key: everything but its secrets."""
    return {
        "capabilities": key.capabilities,
        "base_ids": key.base_ids,
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
    }


def _check(wish: KeyWish, *, allowed: Collection[Capability]) -> None:
    _checked_name(wish.name)
    if not wish.capabilities:
        message = "Choose at least one thing that the key may do."
        raise Invalid(message, capabilities=[message])
    foreign = sorted(one.value for one in wish.capabilities if one not in allowed)
    if foreign:
        message = f"A key of this kind cannot have {', '.join(foreign)}."
        raise Invalid(message, capabilities=[message])
    if wish.expires_at is not None and wish.expires_at <= timezone.now():
        message = "The key would have expired already; choose a later day."
        raise Invalid(message, expires_at=[message])


def _check_bases(actor: Actor, wish: KeyWish) -> None:
    if not wish.base_ids:
        return
    if set(wish.base_ids) - known_base_ids(actor, wish.base_ids):
        message = "One of the bases is gone; choose again."
        raise Invalid(message, base_ids=[message])
    wider = sorted(str(one.label) for one in wish.capabilities - FOR_BASES)
    if wider:
        message = (
            f"A key that is limited to bases cannot have: {', '.join(wider)}. They reach"
            " beyond bases."
        )
        raise Invalid(message, capabilities=[message])
