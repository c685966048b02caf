"""Who sees and changes batches: those who may edit what the base holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, register
from knowledge.models import IngestBatch, KnowledgeBase


class BatchPolicy(InheritedPolicy):
    """A batch is its base's; what it costs is for those who put files in."""

    area = "batches"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "edit",
        "create": "edit",
        "change": "edit",
    }


register(IngestBatch, BatchPolicy())
