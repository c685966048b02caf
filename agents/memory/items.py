"""Writes items: redaction, tombstones, duplicates, what a newer one replaces, capacity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.constants import MemoryKind, MemoryOrigin, MemoryState
from agents.memory.owners import locked
from agents.memory.redaction import redact
from agents.memory.texts import (
    TOPIC_CHARACTERS,
    contains,
    hash_of,
    is_negated,
    key_of,
    one_line,
    terms_of,
)
from agents.models import MemoryItem, MemoryOwner, MemorySettings, MemoryTombstone

DEFAULT_CAPACITY = 200
HIGHEST_CAPACITY = 2000


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Something to be remembered."""

    kind: MemoryKind
    text: str
    origin: MemoryOrigin
    topic: str = ""
    importance: int = 3
    is_sure: bool = True
    """False: it was inferred, and waits until the person confirms it."""
    expires_at: datetime | None = None
    conversation_id: UUID | None = None
    message_id: UUID | None = None
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Written:
    """What became of a draft."""

    outcome: Literal["added", "known", "rejected"]
    item: MemoryItem | None = None
    reason: str = ""
    """Why it was rejected, for people."""


def write_item(owner: MemoryOwner, draft: Draft) -> Written:
    """Remember the draft, unless it is known, was forgotten, or is a secret.

    What a person says themselves (explicit, manual) overrides what they had forgotten.
    """
    cleaned = redact(draft.text)
    text = one_line(cleaned.text)
    if cleaned.is_mostly_redacted:
        return Written(
            outcome="rejected",
            reason=_("It looks like a secret. Secrets such as keys and passwords are not kept."),
        )
    if not text:
        return Written(outcome="rejected", reason=_("There is nothing to remember."))
    with transaction.atomic():
        locked(owner)
        if not _passes_tombstones(owner, text, says_person=_says_person(draft)):
            return Written(outcome="rejected", reason=_("It was forgotten before."))
        known = _known(owner, draft, text)
        if known is not None:
            return Written(outcome="known", item=known)
        item = _insert(owner, draft, text)
        keep_capacity(owner, protect=item)
    return Written(outcome="added", item=item)


def activate(item: MemoryItem) -> None:
    """Take an item into use: it replaces what it contradicts. Call it in a transaction."""
    _supersede(_rivals(item.owner, item), by=item)
    item.state = MemoryState.ACTIVE
    item.invalid_at = None
    item.save()
    keep_capacity(item.owner, protect=item)


def keep_capacity(owner: MemoryOwner, *, protect: MemoryItem | None = None) -> int:
    """Set the lowest-ranked items aside where there are too many; return how many."""
    capacity = MemorySettings.objects.values_list("capacity", flat=True).first()
    limit = min(capacity or DEFAULT_CAPACITY, HIGHEST_CAPACITY)
    rows = MemoryItem.objects.filter(owner=owner, state=MemoryState.ACTIVE)
    surplus = rows.count() - limit
    if surplus <= 0:
        return 0
    if protect is not None:
        rows = rows.exclude(pk=protect.pk)
    order = ("importance", F("used_at").asc(nulls_first=True), "use_count", "updated_at")
    lowest = list(rows.order_by(*order).values_list("pk", flat=True)[:surplus])
    return MemoryItem.objects.filter(pk__in=lowest).update(
        state=MemoryState.ARCHIVED, updated_at=timezone.now()
    )


def _says_person(draft: Draft) -> bool:
    return draft.origin in (MemoryOrigin.EXPLICIT, MemoryOrigin.MANUAL)


def _passes_tombstones(owner: MemoryOwner, text: str, *, says_person: bool) -> bool:
    rows = MemoryTombstone.objects.filter(owner=owner, text_hash=hash_of(text))
    if says_person:
        rows.delete()
        return True
    return not rows.exists()


def _known(owner: MemoryOwner, draft: Draft, text: str) -> MemoryItem | None:
    """Return the item that says the same or more, refreshed."""
    terms, negated = terms_of(text), is_negated(text)
    states = (MemoryState.ACTIVE, MemoryState.PENDING)
    for item in MemoryItem.objects.filter(owner=owner, kind=draft.kind, state__in=states):
        if is_negated(item.text) != negated or not contains(terms_of(item.text), terms):
            continue
        item.importance = max(item.importance, draft.importance)
        if _says_person(draft) and item.state == MemoryState.PENDING:
            activate(item)
        item.save()
        return item
    return None


def _insert(owner: MemoryOwner, draft: Draft, text: str) -> MemoryItem:
    topic = one_line(redact(draft.topic).text, limit=TOPIC_CHARACTERS)
    item = MemoryItem(
        space_id=owner.space_id,
        owner=owner,
        kind=draft.kind,
        topic=topic,
        topic_key=key_of(topic),
        text=text,
        importance=min(5, max(1, draft.importance)),
        origin=draft.origin,
        state=MemoryState.ACTIVE if draft.is_sure else MemoryState.PENDING,
        valid_from=timezone.now(),
        expires_at=draft.expires_at,
        conversation_id=draft.conversation_id,
        message_id=draft.message_id,
        document_ids=list(draft.document_ids),
    )
    if not draft.is_sure:
        item.save(force_insert=True)
        return item
    rivals = _rivals(owner, item)
    _supersede(rivals, by=None)  # first: only one item of a topic may be in use
    item.save(force_insert=True)
    _supersede(rivals, by=item)
    return item


def _rivals(owner: MemoryOwner, item: MemoryItem) -> list[MemoryItem]:
    """Return the active items that the new one replaces: same topic, or contained in it."""
    terms, negated = terms_of(item.text), is_negated(item.text)
    rows = MemoryItem.objects.filter(owner=owner, kind=item.kind, state=MemoryState.ACTIVE)
    return [
        row
        for row in rows.exclude(pk=item.pk)
        if (item.topic_key and row.topic_key == item.topic_key) or _says_less(row, terms, negated)
    ]


def _says_less(row: MemoryItem, terms: frozenset[str], negated: bool) -> bool:
    """Say whether the row is part of the new text, or its very opposite."""
    old = terms_of(row.text)
    if is_negated(row.text) != negated:
        return bool(old) and old == terms
    return contains(terms, old)


def _supersede(rows: Sequence[MemoryItem], *, by: MemoryItem | None) -> None:
    now = timezone.now()
    MemoryItem.objects.filter(pk__in=[row.pk for row in rows]).update(
        state=MemoryState.SUPERSEDED, invalid_at=now, superseded_by=by, updated_at=now
    )
