"""What agents do when something happens below: a new space gets the built-in agents."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from accounts.models import Space
from accounts.signals import space_created
from agents.services.builtin import sync_builtin_agents


@receiver(space_created)
def give_built_in_agents(space: Space, **_: Any) -> None:
    """Begin a space with the agents of the file."""
    sync_builtin_agents(space.pk)
