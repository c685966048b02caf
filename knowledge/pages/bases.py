"""Contexts of the cards of bases."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _

from knowledge.constants import BaseKind, MarkKind
from knowledge.models import KnowledgeBase


def card_of(base: KnowledgeBase, marks: Collection[str]) -> dict[str, Any]:
    """Return what `_base_card.html` takes; the base comes from `list_bases`."""
    return {
        "id": base.pk,
        "name": base.name,
        "description": base.description,
        "is_faq": base.kind == BaseKind.FAQ,
        "document_count": getattr(base, "document_total", 0),
        "entry_count": getattr(base, "entry_total", 0),
        "open_count": getattr(base, "open_total", 0),
        "bad_count": getattr(base, "bad_total", 0),
        "owner": str(base.created_by) if base.created_by else "",
        "changed_at": base.updated_at,
        "is_pinned": MarkKind.PIN in marks,
        "is_favourite": MarkKind.FAVOURITE in marks,
    }


def rank(card: dict[str, Any]) -> tuple[bool, bool, str]:
    """Put pinned bases first, favourites behind them, and the others by name."""
    return (not card["is_pinned"], not card["is_favourite"], card["name"].casefold())


def shows() -> list[tuple[str, str]]:
    """Return which bases may be shown alone."""
    return [
        ("", _("All")),
        ("mine", _("Mine")),
        (MarkKind.PIN, _("Pinned")),
        (MarkKind.FAVOURITE, _("Favorites")),
        (BaseKind.DOCUMENT, _("Documents")),
        (BaseKind.FAQ, _("Questions and answers")),
    ]
