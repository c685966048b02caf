"""Who may do what with vector stores: members see which there are, admins manage them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, RolePolicy, register
from accounts.constants import Role
from knowledge.models import KnowledgeBase, StoreMove, VectorStore


class VectorStorePolicy(RolePolicy):
    """Addresses and keys are the admins' business; who may change a base may choose a store for it."""

    area = "models"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.CONTRIBUTOR,
        "use": Role.CONTRIBUTOR,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "manage": Role.ADMIN,
    }


class StoreMovePolicy(InheritedPolicy):
    """How far a move is, is for those who set how the base is searched."""

    area = "bases"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "change",
        "create": "change",
        "change": "change",
    }


register(VectorStore, VectorStorePolicy())
register(StoreMove, StoreMovePolicy())
