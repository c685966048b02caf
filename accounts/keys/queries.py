"""Reads of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from accounts.keys.capabilities import Capability, known
from accounts.models import ApiKey, User
from accounts.shares import kind_of
from core.errors import NotFound
from core.tenancy import SpaceOwned

KeyState = Literal["active", "ending", "expired", "revoked"]
"""`ending`: rotated, and still valid for a while."""


@dataclass(frozen=True, kw_only=True)
class KeyRow:
    """A key as its page shows it."""

    key: ApiKey
    state: KeyState
    capabilities: tuple[Capability, ...]
    bases: tuple[str, ...]
    """Names of the bases it is limited to; empty: all."""
    missing_bases: int
    """How many of them are gone."""


def list_keys(actor: Actor) -> QuerySet[ApiKey]:
    """Return the space's keys, newest first; none for who may not see them."""
    return visible(actor, "view", ApiKey.objects.select_related("created_by", "replaced_by"))


def get_key(actor: Actor, key_id: UUID) -> ApiKey:
    """Return one key of the space.

    Raises:
        NotFound: there is none, or the actor may not see keys.
    """
    found = list_keys(actor).filter(pk=key_id).first()
    if found is None:
        raise NotFound(_("There is no such key."))
    return found


def list_platform_keys(user: User) -> QuerySet[ApiKey]:
    """Return the keys of the platform, newest first; none for who is no superuser."""
    rows = ApiKey.objects.filter(space=None).select_related("created_by", "replaced_by")
    return rows if _is_superuser(user) else rows.none()


def get_platform_key(user: User, key_id: UUID) -> ApiKey:
    """Return one key of the platform.

    Raises:
        NotFound: there is none, or the person is no superuser.
    """
    found = list_platform_keys(user).filter(pk=key_id).first()
    if found is None:
        raise NotFound(_("There is no such key."))
    return found


def live_keys(now: datetime | None = None) -> QuerySet[ApiKey]:
    """Return the keys that open anything now."""
    alive = Q(expires_at=None) | Q(expires_at__gt=now or timezone.now())
    return ApiKey.objects.filter(alive, revoked_at=None)


def state_of(key: ApiKey, *, now: datetime | None = None) -> KeyState:
    """Say where a key stands."""
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= (now or timezone.now()):
        return "expired"
    return "ending" if key.replaced_by_id else "active"


def rows_of(actor: Actor, keys: Sequence[ApiKey]) -> list[KeyRow]:
    """Return keys of the space with the names of their bases; one query for all of them."""
    wanted = {UUID(each) for key in keys for each in key.base_ids}
    names = {row.pk: str(row) for row in _bases(actor).filter(pk__in=wanted)} if wanted else {}
    return [_row(key, names) for key in keys]


def rows_of_platform(keys: Sequence[ApiKey]) -> list[KeyRow]:
    """Return keys of the platform; they are limited to no bases."""
    return [_row(key, {}) for key in keys]


def choosable_bases(actor: Actor) -> list[tuple[str, str]]:
    """Return id and name of the bases that a key can be limited to, by name."""
    return sorted(((str(row.pk), str(row)) for row in _bases(actor)), key=lambda each: each[1])


def known_base_ids(actor: Actor, base_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that are bases of the space."""
    return set(_bases(actor).filter(pk__in=base_ids).values_list("pk", flat=True))


def _bases(actor: Actor) -> QuerySet[Any]:
    model: type[SpaceOwned] = kind_of("base").row_model
    return visible(actor, "view", model.objects.all())


def _row(key: ApiKey, names: dict[UUID, str]) -> KeyRow:
    found = [names[UUID(each)] for each in key.base_ids if UUID(each) in names]
    held = known(key.capabilities)
    return KeyRow(
        key=key,
        state=state_of(key),
        capabilities=tuple(one for one in Capability if one in held),
        bases=tuple(sorted(found)),
        missing_bases=len(key.base_ids) - len(found),
    )


def _is_superuser(user: User) -> bool:
    return user.is_active and user.is_superuser
