"""Who sees and changes changes of the embedding model: those who may change the base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, register
from knowledge.models import EmbeddingChange, KnowledgeBase


class EmbeddingChangePolicy(InheritedPolicy):
    """What it costs and how far it is is for those who set how the base is searched."""

    area = "bases"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "change",
        "create": "change",
        "change": "change",
    }


register(EmbeddingChange, EmbeddingChangePolicy())
