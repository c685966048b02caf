"""Whose memory it is: one row for each principal in each space."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from agents.models import MemoryItem, MemoryOwner
from core.errors import Invalid, NotFound


def principal_of(actor: Actor) -> str:
    """Return the name under which an actor's memory is kept."""
    return f"{actor.kind}:{actor.id}"


def find_owner(actor: Actor) -> MemoryOwner | None:
    """Return the actor's own row, None before anything was remembered."""
    return visible(actor, "view", MemoryOwner.objects.filter(principal=principal_of(actor))).first()


def own_memory(actor: Actor, *, reads_from: datetime | None = None) -> MemoryOwner:
    """Return the actor's own row, made when there is none.

    Args:
        actor: a person.
        reads_from: the first thing said that a new memory may be learnt from; None: what comes now.

    Raises:
        Invalid: the actor is no person.
    """
    if actor.user_id is None:
        raise Invalid(_("Only a person has a memory here."))
    owner, _created = MemoryOwner.objects.get_or_create(
        space_id=actor.space_id,
        principal=principal_of(actor),
        defaults={
            "user_id": actor.user_id,
            "read_until": (reads_from or timezone.now()) - timedelta(microseconds=1),
        },
    )
    require(actor, "change", owner)
    return owner


def locked(owner: MemoryOwner) -> MemoryOwner:
    """Lock the row for the transaction: all changes of a memory go one after the other.

    Raises:
        NotFound: it was forgotten meanwhile.
    """
    row = MemoryOwner.objects.select_for_update().filter(pk=owner.pk).first()
    if row is None:
        raise NotFound(_("This memory was deleted."))
    return row


def switch_memory(actor: Actor, *, is_on: bool) -> MemoryOwner:
    """Switch the actor's own memory on or off; what it holds stays until it is forgotten."""
    with transaction.atomic():
        owner = locked(own_memory(actor))
        if is_on and not owner.is_enabled:
            owner.read_until = timezone.now()  # what was said while it was off stays unread
        owner.is_enabled = is_on
        owner.save(update_fields=["is_enabled", "read_until"])
    return owner


def own_item(actor: Actor, item_id: UUID) -> MemoryItem:
    """Return one of the actor's own items.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    rows = MemoryItem.objects.filter(pk=item_id).select_related("owner")
    item = visible(actor, "view", rows).first()
    if item is None:
        raise NotFound(_("There is no such memory."))
    return item
