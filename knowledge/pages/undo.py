"""What was just put into the trash or into another base, for the one page that offers to take it back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest

from knowledge.models import KnowledgeBase

UNDO_KEY = "knowledge:trashed"
CARRIED_KEY = "knowledge:carried"
MOST_TO_UNDO = 1_000
"""Of more, the page leads to the trash."""


def offer_undo(request: HttpRequest, base_id: UUID, document_ids: tuple[UUID, ...]) -> None:
    """Let the next page of the base offer to take this back."""
    if document_ids:
        ids = [str(each) for each in document_ids[:MOST_TO_UNDO]]
        request.session[UNDO_KEY] = {
            "base": str(base_id),
            "ids": ids if len(document_ids) <= MOST_TO_UNDO else [],
            "number": len(document_ids),
        }


def take_undo(request: HttpRequest, base_id: UUID) -> dict[str, Any] | None:
    """Return, once, what the page may offer to take back."""
    offer: dict[str, Any] | None = request.session.get(UNDO_KEY)
    if offer is None or offer["base"] != str(base_id):
        return None
    del request.session[UNDO_KEY]
    return offer


def offer_carry_back(
    request: HttpRequest, base_id: UUID, target: KnowledgeBase, document_ids: tuple[UUID, ...]
) -> None:
    """Let the next page of the base offer to bring back what was moved to another."""
    if document_ids:
        request.session[CARRIED_KEY] = {
            "base": str(base_id),
            "target": str(target.pk),
            "name": target.name,
            "ids": [str(each) for each in document_ids],
            "number": len(document_ids),
        }


def take_carry_back(request: HttpRequest, base_id: UUID) -> dict[str, Any] | None:
    """Return, once, what the page may offer to bring back."""
    offer: dict[str, Any] | None = request.session.get(CARRIED_KEY)
    if offer is None or offer["base"] != str(base_id):
        return None
    del request.session[CARRIED_KEY]
    return offer
