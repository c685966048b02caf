"""Forgets: the text is erased at once, a hash stays so that it is not learnt again.

Undo needs no text on the server: the page holds it, signed and bound to the person, for some
minutes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from agents.constants import MemoryKind, MemoryOrigin, MemoryState
from agents.memory.items import Draft, activate, write_item
from agents.memory.owners import find_owner, locked, own_item, own_memory
from agents.memory.sources import readable
from agents.memory.texts import hash_of
from agents.memory.traces import erase_from_runs
from agents.models import AgentRun, MemoryItem, MemoryOwner, MemoryTombstone, MemoryUse
from core.errors import Gone

TOMBSTONES = 500
UNDO_TIME = timedelta(minutes=15)
_SALT = "agents.memory.undo"


def forget_item(actor: Actor, *, item_id: UUID) -> str:
    """Erase an item with the older ones it had replaced; return what `restore_item` takes, or "".

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    item = own_item(actor, item_id)
    require(actor, "delete", item)
    with transaction.atomic():
        owner = locked(item.owner)
        # The token holds the words: who may not read them now gets none, and can't undo.
        token = _token(item) if readable(actor, [item])[0] else ""
        doomed = _with_predecessors(item)
        _bury(owner, [row.text for row in doomed])
        erase_from_runs(_runs_with(doomed))
        MemoryItem.objects.filter(pk__in=[row.pk for row in doomed]).delete()
    return token


def restore_item(actor: Actor, *, token: str) -> MemoryItem | None:
    """Take back that an item was forgotten; None when it can't be kept any more.

    Raises:
        Gone: too much time has passed, or the token is another person's.
    """
    owner = own_memory(actor)
    try:
        values: dict[str, Any] = signing.loads(token, salt=_SALT, max_age=UNDO_TIME)
    except signing.BadSignature as error:
        raise Gone(_("This cannot be undone any more; add it again.")) from error
    if values["owner"] != owner.pk:
        raise Gone(_("This cannot be undone any more; add it again."))
    with transaction.atomic():
        MemoryTombstone.objects.filter(owner=owner, text_hash=hash_of(values["text"])).delete()
        draft = Draft(
            kind=MemoryKind(values["kind"]),
            text=values["text"],
            topic=values["topic"],
            importance=values["importance"],
            origin=MemoryOrigin(values["origin"]),
            is_sure=values["state"] != MemoryState.PENDING,
            document_ids=tuple(values["document_ids"]),
        )
        return write_item(owner, draft).item


def confirm_item(actor: Actor, *, item_id: UUID) -> MemoryItem:
    """Take something inferred, or set aside, into use.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    item = own_item(actor, item_id)
    require(actor, "change", item)
    with transaction.atomic():
        locked(item.owner)
        item.refresh_from_db()
        activate(item)
    return item


def forget_everything(actor: Actor) -> int:
    """Erase the actor's whole memory in the space, its topics and tombstones too.

    The switch and how far conversations were read stay, or all of it would be learnt again.
    """
    owner = find_owner(actor)
    if owner is None:
        return 0
    require(actor, "delete", owner)
    with transaction.atomic():
        owner = locked(owner)
        items = list(MemoryItem.objects.filter(owner=owner))
        erase_from_runs(_runs_with(items))
        for rows in (owner.items, owner.topics, owner.documents, owner.tombstones):
            rows.all().delete()
    return len(items)


def _token(item: MemoryItem) -> str:
    values = {
        "owner": item.owner_id,
        "kind": item.kind,
        "text": item.text,
        "topic": item.topic,
        "importance": item.importance,
        "origin": item.origin,
        "state": item.state,
        "document_ids": item.document_ids,
    }
    return signing.dumps(values, salt=_SALT, compress=True)


def _with_predecessors(item: MemoryItem) -> list[MemoryItem]:
    found, newest = [item], [item.pk]
    while newest:
        older = MemoryItem.objects.filter(superseded_by__in=newest)
        older = older.exclude(pk__in=[row.pk for row in found])
        newest = [row.pk for row in older]
        found += older
    return found


def _runs_with(items: list[MemoryItem]) -> list[UUID]:
    """Return the runs that were given one of the items, or whose question asked to remember it."""
    given = MemoryUse.objects.filter(item__in=items).values_list("run_id", flat=True)
    asked = AgentRun.objects.filter(
        question__in={item.message_id for item in items if item.message_id}
    )
    return [*given, *asked.values_list("pk", flat=True)]


def _bury(owner: MemoryOwner, texts: list[str]) -> None:
    MemoryTombstone.objects.bulk_create(
        [
            MemoryTombstone(space_id=owner.space_id, owner=owner, text_hash=text_hash)
            for text_hash in {hash_of(text) for text in texts}
        ],
        ignore_conflicts=True,
    )
    rows = MemoryTombstone.objects.filter(owner=owner).order_by("-created_at", "-pk")
    surplus = list(rows.values_list("pk", flat=True)[TOMBSTONES:])
    MemoryTombstone.objects.filter(pk__in=surplus).delete()
