"""Changes what is remembered, in the person's own words."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from agents.constants import MemoryKind, MemoryOrigin
from agents.memory.background import embed_soon
from agents.memory.items import activate
from agents.memory.owners import locked, own_item
from agents.memory.redaction import redact
from agents.memory.sources import readable
from agents.memory.texts import one_line
from agents.models import MemoryItem
from core.errors import Invalid, NotFound


def readable_item(actor: Actor, item_id: UUID) -> MemoryItem:
    """Return one of the actor's own items with its words.

    Raises:
        NotFound: there is none, it is somebody else's, or about a source that is hidden now.
    """
    item = own_item(actor, item_id)
    if not readable(actor, [item])[0]:
        raise NotFound(_("It is about a source that you may not see any more."))
    return item


def edit_item(actor: Actor, *, item_id: UUID, text: str, kind: MemoryKind) -> MemoryItem:
    """Give a memory other words or another kind; it is in use from now on.

    Raises:
        NotFound: there is none, it is somebody else's, or about a source that is hidden now.
        Invalid: the words are blank or a secret.
    """
    item = readable_item(actor, item_id)
    require(actor, "change", item)
    cleaned = redact(text)
    words = one_line(cleaned.text)
    if not words:
        raise Invalid(_("There is nothing to remember."))
    if cleaned.is_mostly_redacted:
        raise Invalid(_("It looks like a secret. Secrets such as keys and passwords are not kept."))
    with transaction.atomic():
        locked(item.owner)
        item.refresh_from_db()
        item.text, item.kind, item.origin = words, kind, MemoryOrigin.MANUAL
        activate(item)
    embed_soon(item.owner)
    return item
