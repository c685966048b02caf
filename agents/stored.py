"""What of this app counts towards the storage of a space."""

from __future__ import annotations

from django.db.models import Sum

from accounts.services.quota import register_store
from agents.models import Artifact


@register_store("artifacts")
def stored_bytes() -> int:
    """Add up the files that agents made in the current space."""
    return int(Artifact.objects.aggregate(total=Sum("size"))["total"] or 0)
