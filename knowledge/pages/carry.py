"""Where documents may go: what the dialogs of moving and copying offer."""

from __future__ import annotations

from accounts.access import Actor, visible
from knowledge.constants import BaseKind
from knowledge.models import KnowledgeBase


def other_bases(actor: Actor, base: KnowledgeBase) -> list[KnowledgeBase]:
    """Return the other bases of documents into which the actor may put something, by name."""
    rows = KnowledgeBase.objects.filter(kind=BaseKind.DOCUMENT).exclude(pk=base.pk)
    return list(visible(actor, "edit", visible(actor, "view", rows)).order_by("name"))
