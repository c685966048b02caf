"""Who sees and makes corrections: whoever sees the document, and may change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, register
from knowledge.models import Correction, Document


class CorrectionPolicy(InheritedPolicy):
    """What people say about a passage is as open as its document."""

    area = "chunks"
    parent_field = "document"
    parent_model = Document
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view", "change": "change"}


register(Correction, CorrectionPolicy())
