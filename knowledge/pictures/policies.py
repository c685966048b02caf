"""A picture is as open as its document."""

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, register
from knowledge.models import Document, DocumentPicture


class PicturePolicy(InheritedPolicy):
    """Who sees the document sees its pictures; who may change it may describe them."""

    area = "chunks"
    parent_field = "document"
    parent_model = Document
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view", "change": "change"}


register(DocumentPicture, PicturePolicy())
