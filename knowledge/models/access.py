"""Who may read what: restrictions inside of a base, and shares of a base."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.grants import GroupGrant, Share, UserGrant
from core.tenancy import SpaceOwned
from knowledge.models.bases import KnowledgeBase
from knowledge.models.documents import Document


class Restriction(SpaceOwned):
    """A document, or a folder with all below it, that only named people and groups read.

    Several may hold for one document (its own, and those of folders above it): who reads it must be
    named by each of them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="restrictions")
    document = models.ForeignKey(
        Document, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    folder_path = models.CharField(max_length=1000, blank=True)
    """With `document` null: the folder whose content it is about."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("restriction")
        verbose_name_plural = _("restrictions")
        permissions: ClassVar = [("pass_restriction", "May read what is behind it")]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document"],
                condition=Q(document__isnull=False),
                name="one_restriction_per_document",
            ),
            models.UniqueConstraint(
                fields=["base", "folder_path"],
                condition=Q(document__isnull=True),
                name="one_restriction_per_folder",
            ),
        ]

    def __str__(self) -> str:
        return self.folder_path or str(self.document_id)


class RestrictionUserGrant(UserGrant):
    """A person who passes a restriction."""

    content_object = models.ForeignKey(Restriction, on_delete=models.CASCADE)


class RestrictionGroupGrant(GroupGrant):
    """A group that passes a restriction."""

    content_object = models.ForeignKey(Restriction, on_delete=models.CASCADE)


class DocumentWall(SpaceOwned):
    """That a restriction holds for a document: kept by the services that move documents."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="walls")
    restriction = models.ForeignKey(Restriction, on_delete=models.CASCADE, related_name="walls")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "restriction"], name="one_wall_per_pair")
        ]

    def __str__(self) -> str:
        return f"{self.document_id} behind {self.restriction_id}"


class DocumentBasis(SpaceOwned):
    """That a document was made of another of its base: whoever reads it must pass the other's walls.

    A page of the wiki rests on documents; `knowledge.access.fit` gives it the walls of all of them.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="made_of")
    source_id = models.UUIDField(db_index=True)
    """The other document, a plain value: it may be gone."""

    class Meta:
        verbose_name = _("document that another was made of")
        verbose_name_plural = _("documents that others were made of")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "source_id"], name="one_basis_per_pair")
        ]

    def __str__(self) -> str:
        return f"{self.document_id} made of {self.source_id}"


class RemovedDocument(SpaceOwned):
    """That a document is gone, and who may still read what was kept of it elsewhere.

    Answers, evidence and memories outlive their document. Without this row the end of a restricted
    document would open them to everybody who sees the base, and the end of one that was read as a
    guest to everybody who had read it, after its base is shared no more. It holds no content.
    """

    document_id = models.UUIDField()
    base_id = models.UUIDField(null=True)
    was_restricted = models.BooleanField(default=True)
    base_creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Who reads a restricted one still, beside the space's admins."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document_id"], name="one_seal_per_document")
        ]

    def __str__(self) -> str:
        return f"trace of {self.document_id}"


class BaseShare(Share):
    """A base that is open to an organisation."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="shares")

    class Meta(Share.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "organisation"], name="one_share_per_base")
        ]

    def __str__(self) -> str:
        return f"{self.base} in {self.organisation}"
