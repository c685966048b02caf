"""Outside stores hear of removed documents at once; what is embedded says so itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from knowledge.signals import document_removed
from knowledge.stores.soon import sync_soon


@receiver(document_removed, dispatch_uid="knowledge.stores")
def forget_document(*, base_id: UUID, **_: Any) -> None:
    """Have the document's vectors removed from its base's stores."""
    sync_soon(base_id)
