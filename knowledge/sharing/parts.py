"""What is asked for, divided by the spaces that own it: each part is read as whom one is there.

A question over bases of several spaces is asked once in each of them, in its own scope. Bases of
other spaces are only those that were named; a wish without names means the own ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID

from accounts.access import Actor, visible
from accounts.guests import guests_of
from core.tenancy import space_scope
from knowledge.models import Document, KnowledgeBase
from knowledge.retrieval.scope import Scope


@dataclass(frozen=True, kw_only=True)
class Part:
    """What of a wish lies in one space."""

    reader: Actor
    """The actor, or the guest whom they are in the space that shares."""
    scope: Scope


def parts_of(actor: Actor, scope: Scope) -> list[Part]:
    """Divide a scope by spaces, the own one first; one query where nothing is shared."""
    guests = guests_of(actor, kind="base", object_ids=scope.base_ids) if scope.base_ids else []
    if not guests:
        return [Part(reader=actor, scope=scope)]
    parts = [_part(guest, scope, opened_ids(guest)) for guest in guests]
    taken = {base_id for part in parts for base_id in part.scope.base_ids or ()}
    read = {each for part in parts for each in part.scope.document_ids or ()}
    own = _rest(scope, taken=taken, read=read)
    return [Part(reader=actor, scope=own), *parts] if _asks_something(own) else parts


def shared_bases(actor: Actor, base_ids: Collection[UUID] | None) -> list[KnowledgeBase]:
    """Return those of the bases that other spaces opened to the actor, by name; None means all."""
    found: list[KnowledgeBase] = []
    for guest in guests_of(actor, kind="base", object_ids=base_ids):
        with space_scope(guest.space_id):
            rows = KnowledgeBase.objects.select_related("space")
            found += visible(guest, "use", rows.filter(pk__in=opened_ids(guest)))
    return sorted(found, key=lambda base: base.name.casefold())


def opened_ids(guest: Actor) -> set[UUID]:
    """Return the bases that are open to a guest."""
    return {shared.object_id for shared in guest.shared if shared.kind == "base"}


def _part(guest: Actor, scope: Scope, opened: set[UUID]) -> Part:
    document_ids = scope.document_ids
    if document_ids is not None:
        with space_scope(guest.space_id):
            rows = visible(guest, "view", Document.objects.filter(pk__in=document_ids))
            document_ids = tuple(rows.values_list("pk", flat=True))
    return Part(
        reader=guest,
        scope=replace(
            scope,
            base_ids=tuple(each for each in scope.base_ids or () if each in opened),
            document_ids=document_ids,
            whole_base_ids=tuple(each for each in scope.whole_base_ids if each in opened),
        ),
    )


def _rest(scope: Scope, *, taken: set[UUID], read: set[UUID]) -> Scope:
    """Return what no guest opened: the own, and what is nowhere, which a strict scope tells."""
    document_ids = scope.document_ids
    if document_ids is not None:
        document_ids = tuple(each for each in document_ids if each not in read)
    return replace(
        scope,
        base_ids=tuple(each for each in scope.base_ids or () if each not in taken),
        document_ids=document_ids,
        whole_base_ids=tuple(each for each in scope.whole_base_ids if each not in taken),
    )


def _asks_something(scope: Scope) -> bool:
    return bool(scope.base_ids or scope.document_ids)
