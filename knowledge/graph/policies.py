"""A mention is as open as its document; entities and relations are seen through mentions only."""

from __future__ import annotations

from accounts.access import InheritedPolicy, register
from knowledge.models import Document, GraphMention, GraphPassage


class GraphPolicy(InheritedPolicy):
    """As open as the document."""

    area = "chunks"
    parent_field = "document"
    parent_model = Document


register(GraphMention, GraphPolicy())
register(GraphPassage, GraphPolicy())
