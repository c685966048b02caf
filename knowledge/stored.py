"""What of this app counts towards the storage of a space."""

from __future__ import annotations

from django.db.models import F, Sum

from accounts.services.quota import register_store
from knowledge.models import Document, DocumentPicture, DocumentVersion


@register_store("documents")
def stored_bytes() -> int:
    """Add up the files of the current space's documents, what they were before, their pictures."""
    now = Document.objects.aggregate(total=Sum("size_bytes"))["total"] or 0
    earlier = DocumentVersion.objects.exclude(number=F("document__version"))
    before = earlier.aggregate(total=Sum("size_bytes"))["total"] or 0
    pictures = DocumentPicture.objects.aggregate(total=Sum("size_bytes"))["total"] or 0
    return int(now + before + pictures)
