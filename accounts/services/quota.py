"""How much a space may store, how much it does, and what stops an upload that would be too much."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space, StorageUse
from core.errors import LimitReached
from core.live import live
from core.tenancy import space_scope

GIGABYTE = 10**9
NEARLY_FULL_PERCENT = 90
Adder = Callable[[], int]
_stores: dict[str, Adder] = {}


@dataclass(frozen=True, kw_only=True)
class Storage:
    """What a space stores and may store."""

    used_bytes: int
    quota_bytes: int
    """0: no limit."""

    @property
    def percent(self) -> int:
        """How full it is, from 0 to 100."""
        if not self.quota_bytes:
            return 0
        return min(100, max(0, round(100 * self.used_bytes / self.quota_bytes)))

    @property
    def tone(self) -> str:
        """Of the meter: red when little is left."""
        return "bad" if self.percent >= NEARLY_FULL_PERCENT else ""

    def holds(self, more_bytes: int) -> bool:
        """Say whether so many bytes more would still be within the quota."""
        return not self.quota_bytes or self.used_bytes + more_bytes <= self.quota_bytes


def register_store(name: str) -> Callable[[Adder], Adder]:
    """Register what adds up the bytes of one kind of file in the current space.

    The table of that kind has the triggers that count; see `accounts.models.storage`.
    """

    def register(adder: Adder) -> Adder:
        if name in _stores:
            raise RuntimeError(f"there is a store {name!r} already")
        _stores[name] = adder
        return adder

    return register


def default_quota_bytes() -> int:
    """Return the quota of spaces without one of their own; 0: no limit."""
    return int(live("DEFAULT_QUOTA_GB")) * GIGABYTE


def storage_of(space: Space) -> Storage:
    """Return what the space stores and may store."""
    own = space.storage_quota_bytes
    with space_scope(space.pk):
        known = StorageUse.objects.filter(space_id=space.pk).first()
    return Storage(
        used_bytes=max(0, known.used_bytes) if known else 0,
        quota_bytes=default_quota_bytes() if own is None else own,
    )


def require_storage(space_id: int, *, more_bytes: int = 0) -> None:
    """Return when the space has room for `more_bytes`.

    Ask it before bytes are stored, and again, with 0, after the row was written and in its
    transaction: the trigger holds the space's count then, so that two uploads cannot share a gap.

    Raises:
        LimitReached: it has not; `data` has `used_bytes` and `quota_bytes`.
    """
    found = storage_of(Space.objects.get(pk=space_id))
    if found.holds(more_bytes):
        return
    values = {
        "used": filesizeformat(found.used_bytes),
        "quota": filesizeformat(found.quota_bytes),
    }
    raise LimitReached(
        _(
            "The space stores %(used)s of the %(quota)s it may, and this would be too much. Remove"
            " what is no longer needed, or ask an administrator of the installation for more."
        )
        % values,
        used_bytes=found.used_bytes,
        quota_bytes=found.quota_bytes,
    )


def recount(space_id: int) -> int:
    """Add up what the space stores, and return by how many bytes the count was wrong."""
    with space_scope(space_id), transaction.atomic():
        StorageUse.objects.get_or_create(space_id=space_id)
        # With the lock all counted writes have ended, and new ones wait for their trigger.
        row = StorageUse.objects.select_for_update().get(space_id=space_id)
        true_bytes = sum(add() for add in _stores.values())
        wrong_by = row.used_bytes - true_bytes
        row.used_bytes, row.counted_at = true_bytes, timezone.now()
        row.save(update_fields=["used_bytes", "counted_at"])
    return wrong_by
