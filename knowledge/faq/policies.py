"""Who may see and change entries: whoever may with the base that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import Action, Actor, Clause, InheritedPolicy, register
from knowledge.models import FaqEntry, FaqImport, KnowledgeBase

_BY_EDITING: Mapping[Action, Action] = {
    "view": "view",
    "create": "edit",
    "change": "edit",
    "delete": "edit",
    "manage": "edit",
}


class EntryPolicy(InheritedPolicy):
    """An entry is as open as its base; to `manage` is what may be done with a deleted one."""

    area = "faq"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = _BY_EDITING

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """A deleted entry is gone for everybody, but can be restored by those who may edit."""
        trashed = Clause(
            effect="deny", reason="It is deleted.", where=Q(trashed_at__isnull=action == "manage")
        )
        return (*super().clauses(actor, action), trashed)


class ImportPolicy(InheritedPolicy):
    """An import is for those who may edit the base: its problems quote the file."""

    area = "faq"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "edit",
        "create": "edit",
        "change": "edit",
        "delete": "edit",
    }


register(FaqEntry, EntryPolicy())
register(FaqImport, ImportPolicy())
