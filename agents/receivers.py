"""What agents do when something happens below: a new space, somebody who leaves."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from accounts.models import Space
from accounts.signals import (
    membership_ended,
    membership_paused,
    sessions_ended,
    space_created,
)
from agents.models import Conversation
from agents.runs.publish import publish_actor_change
from agents.services.builtin import sync_builtin_agents
from agents.services.conversations import stop_runs_of
from core.tenancy import space_scope
from sandbox.services.sessions import end_conversation


@receiver(space_created)
def give_built_in_agents(space: Space, **_: Any) -> None:
    """Begin a space with the agents of the file."""
    sync_builtin_agents(space.pk)


@receiver(membership_ended)
@receiver(membership_paused)
def stop_runs_of_leaver(space_id: int, user_id: int, **_: Any) -> None:
    """Stop the runs of a person who may not be in the space any more."""
    with space_scope(space_id):
        stop_runs_of(user_id)


@receiver(membership_ended)
@receiver(membership_paused)
@receiver(sessions_ended)
def turn_windows_away(user_id: int, **_: Any) -> None:
    """Let the person's open windows ask at once whether they may still be here."""
    publish_actor_change(user_id)


@receiver(post_delete, sender=Conversation)
def end_workspaces(instance: Conversation, **_: Any) -> None:
    """Remove the workspaces of a conversation that is deleted."""
    with space_scope(instance.space_id):
        end_conversation(instance.pk)
