"""How people keep a base in order: folders, tags, pins."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import MarkKind
from knowledge.models.bases import KnowledgeBase
from knowledge.models.documents import Document


class Folder(SpaceOwned):
    """A folder that was made by hand; others exist through the documents in them."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="folders")
    path = models.CharField(max_length=1000)
    """Names from the root down, joined by "/"."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["path"]
        verbose_name = _("folder")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "path"], name="one_folder_per_path")
        ]

    def __str__(self) -> str:
        return self.path


class Tag(SpaceOwned):
    """A word that marks documents, or entries of questions and answers."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(_("name"), max_length=64)
    color = models.CharField(max_length=20, blank=True)
    """A name of the palette (tokens of ux.md); blank: none."""
    position = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["position", "name"]
        verbose_name = _("tag")
        constraints: ClassVar = [
            models.UniqueConstraint("base", Lower("name"), name="one_tag_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class DocumentTag(SpaceOwned):
    """A tag on a document."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="tag_rows")
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="document_rows")
    confidence = models.FloatField(null=True, blank=True)
    """By a model, 0..1; None: by a person."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("tag of a document")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "tag"], name="one_tag_row_per_document")
        ]

    def __str__(self) -> str:
        return f"{self.tag_id} on {self.document_id}"


class BaseMark(SpaceOwned):
    """A base that a person pinned, or likes."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="marks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=MarkKind.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("mark of a knowledge base")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "user", "kind"], name="one_mark_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.base_id}"
