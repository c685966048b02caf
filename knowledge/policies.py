"""Who may do what to bases and what is in them."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import Action, Actor, Clause, InheritedPolicy, RolePolicy, register
from accounts.constants import Role
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase


class BasePolicy(RolePolicy):
    """Everybody in the space reads; contributors make bases and own them; admins change all."""

    area = "bases"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.CONTRIBUTOR,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "share": Role.ADMIN,
    }
    owner_field = "created_by"
    owner_actions = frozenset({"change", "delete", "share"})

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """A base that is being removed is gone for everybody."""
        gone = Clause(
            effect="deny", reason="It is being deleted.", where=Q(deleted_at__isnull=False)
        )
        return (*super().clauses(actor, action), gone)


class DocumentPolicy(InheritedPolicy):
    """A document is as open as its base."""

    area = "documents"
    parent_field = "base"
    parent_model = KnowledgeBase

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """A document that is being removed is gone for everybody."""
        gone = Clause(
            effect="deny", reason="It is being deleted.", where=Q(state=DocumentState.DELETING)
        )
        return (*super().clauses(actor, action), gone)


class ChunkPolicy(InheritedPolicy):
    """A passage is as open as its document."""

    area = "chunks"
    parent_field = "document"
    parent_model = Document
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view", "change": "change"}


register(KnowledgeBase, BasePolicy())
register(Document, DocumentPolicy())
register(Chunk, ChunkPolicy())
