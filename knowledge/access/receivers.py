"""What restrictions do when somebody leaves a space."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from accounts.signals import membership_ended
from core.tenancy import space_scope
from knowledge.access.restrict import forget_person


@receiver(membership_ended)
def name_no_more(space_id: int, user_id: int, **_: Any) -> None:
    """Take them out of all restrictions, so that who comes back is named anew or not at all."""
    with space_scope(space_id):
        forget_person(user_id=user_id)
