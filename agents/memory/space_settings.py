"""How a space remembers: read by everybody, changed by admins."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from agents.constants import MemoryWriting
from agents.models import MemoryOwner, MemorySettings
from agents.writing import no_model_reason
from core.errors import Invalid

BOUNDS = {
    "debounce_seconds": (5, 3600),
    "min_interval_seconds": (0, 86_400),
    "capacity": (10, 2000),
    "promote_after": (1, 20),
}


@dataclass(frozen=True, kw_only=True)
class MemoryValues:
    """What an admin may set."""

    is_enabled: bool = False
    writing: str = MemoryWriting.EXPLICIT
    instructions: str = ""
    debounce_seconds: int = 90
    min_interval_seconds: int = 300
    capacity: int = 200
    promote_after: int = 3


def space_memory(actor: Actor) -> MemorySettings:
    """Return the space's settings; those of a space that never chose any are not saved yet."""
    row = MemorySettings.objects.filter(space_id=actor.space_id).first()
    return row or MemorySettings(space_id=actor.space_id)


def change_space_memory(actor: Actor, values: MemoryValues) -> MemorySettings:
    """Set how the space remembers.

    What was said before memory was switched on, or before it began to learn from conversations,
    is never read for it.

    Raises:
        AccessDenied: only admins may.
        Invalid: a value is out of bounds, or there is no model that could learn.
    """
    row = space_memory(actor)
    require(actor, "change", row)
    _check(values, space_id=actor.space_id)
    with transaction.atomic():
        learnt = row.is_enabled and row.writing == MemoryWriting.AUTO
        for name, value in asdict(values).items():
            setattr(row, name, value)
        row.save()
        if row.is_enabled and row.writing == MemoryWriting.AUTO and not learnt:
            MemoryOwner.objects.update(read_until=timezone.now())
        record_audit(
            actor,
            "memory.settings_changed",
            target=row,
            is_enabled=row.is_enabled,
            writing=row.writing,
            capacity=row.capacity,
        )
    return row


def _check(values: MemoryValues, *, space_id: int) -> None:
    if values.writing not in MemoryWriting.values:
        raise Invalid(_("Choose how memories are written."), field="writing")
    if values.is_enabled and values.writing == MemoryWriting.AUTO:
        reason = no_model_reason(space_id)
        if reason:
            raise Invalid(reason, field="writing")
    if len(values.instructions) > 1000:
        raise Invalid(_("At most 1,000 characters."), field="instructions")
    for name, (least, most) in BOUNDS.items():
        if not least <= getattr(values, name) <= most:
            text = _("Between %(least)s and %(most)s.") % {"least": least, "most": most}
            raise Invalid(text, field=name)
