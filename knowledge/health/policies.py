"""Who may see how well a page was read: whoever may see its document."""

from __future__ import annotations

from accounts.access import InheritedPolicy, register
from knowledge.models import Document, PageHealth


class PageHealthPolicy(InheritedPolicy):
    """As open as the document."""

    area = "health"
    parent_field = "document"
    parent_model = Document


register(PageHealth, PageHealthPolicy())
