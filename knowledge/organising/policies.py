"""Who may see and change how a base is kept in order: whoever may with the base or the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, register
from knowledge.models import (
    Document,
    DocumentTag,
    DocumentVersion,
    Folder,
    KnowledgeBase,
    Tag,
)

_BY_EDITING: Mapping[Action, Action] = {
    "view": "view",
    "create": "edit",
    "change": "edit",
    "delete": "edit",
}


class FolderPolicy(InheritedPolicy):
    """A folder is as open as its base; names of restricted ones are hidden by `tree`."""

    area = "folders"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = _BY_EDITING


class TagPolicy(InheritedPolicy):
    """A tag is as open as its base."""

    area = "tags"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = _BY_EDITING


class DocumentTagPolicy(InheritedPolicy):
    """That a document has a tag is as open as the document."""

    area = "tags"
    parent_field = "document"
    parent_model = Document


class DocumentVersionPolicy(InheritedPolicy):
    """An earlier file is as open as the document."""

    area = "versions"
    parent_field = "document"
    parent_model = Document


register(Folder, FolderPolicy())
register(Tag, TagPolicy())
register(DocumentTag, DocumentTagPolicy())
register(DocumentVersion, DocumentVersionPolicy())
