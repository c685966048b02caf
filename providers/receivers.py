"""What providers do when something happens below: a new space gets the built-in models."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from accounts.models import Space
from accounts.signals import space_created
from providers.services.builtin import sync_builtin_models


@receiver(space_created)
def give_built_in_models(space: Space, **_: Any) -> None:
    """Begin a space with the models of the file."""
    sync_builtin_models(space.pk)
