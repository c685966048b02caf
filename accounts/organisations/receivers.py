"""What organisations do when a space is deleted."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import pre_delete
from django.dispatch import receiver

from accounts.models import Space
from accounts.organisations.membership import forget_space


@receiver(pre_delete, sender=Space)
def leave_organisations(instance: Space, **_: Any) -> None:
    """Take the space out of all organisations, whoever deletes it and however."""
    forget_space(instance.pk)
