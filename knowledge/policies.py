"""Who may do what to bases and what is in them."""

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, RolePolicy, register
from accounts.constants import Role
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


class DocumentPolicy(InheritedPolicy):
    """A document is as open as its base."""

    area = "documents"
    parent_field = "base"
    parent_model = KnowledgeBase


class ChunkPolicy(InheritedPolicy):
    """A passage is as open as its document."""

    area = "chunks"
    parent_field = "document"
    parent_model = Document
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view", "change": "change"}


register(KnowledgeBase, BasePolicy())
register(Document, DocumentPolicy())
register(Chunk, ChunkPolicy())
