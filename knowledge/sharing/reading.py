"""Reading documents that may lie in bases of other spaces."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from accounts.access import Actor
from accounts.guests import guests_through
from core.tenancy import space_scope
from knowledge.models import Document
from knowledge.queries import get_documents


def read_documents(actor: Actor, document_ids: Sequence[UUID]) -> list[Document]:
    """Return what `get_documents` returns, also of bases that other spaces opened to the actor."""
    found = {each.pk: each for each in get_documents(actor, document_ids)}
    missing = [each for each in document_ids if each not in found]
    for guest in guests_through(actor, argument="document_id", values=missing):
        with space_scope(guest.space_id):
            found |= {each.pk: each for each in get_documents(guest, missing)}
    return [found[each] for each in document_ids if each in found]
