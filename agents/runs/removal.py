"""What goes with deleted rows: a called agent's inner conversation, a published file's bytes."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from agents.models import AgentRun, Artifact, Conversation
from agents.services.artifacts import forget_bytes


@receiver(post_delete, sender=AgentRun)
def remove_inner_conversation(instance: AgentRun, **_: Any) -> None:
    """A child's run goes with its caller's conversation; so do its question and answer."""
    if instance.parent_id is not None:
        Conversation.objects.filter(pk=instance.conversation_id, is_internal=True).delete()


@receiver(post_delete, sender=Artifact)
def remove_bytes(instance: Artifact, **_: Any) -> None:
    """The stored bytes go with the last row that has them."""
    forget_bytes(instance)
