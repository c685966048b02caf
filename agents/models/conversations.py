"""Conversations and what was said in them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.constants import MessageRole
from agents.models.agents import Agent
from core.tenancy import SpaceOwned


class Conversation(SpaceOwned):
    """A person's talk with agents; nobody else reads it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    title = models.CharField(_("title"), max_length=200, blank=True)
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.SET_NULL)
    """The agent chosen last."""
    base_ids = models.JSONField(default=list, blank=True)
    """Bases the last question was limited to; empty: all of the agent's."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_message_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-last_message_at"]
        verbose_name = _("conversation")
        indexes: ClassVar = [
            models.Index(fields=["user", "-last_message_at"], name="conversation_newest")
        ]

    def __str__(self) -> str:
        return self.title or str(_("New conversation"))


class Message(SpaceOwned):
    """A question or an answer. An answer belongs to a run, which holds how it came about."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="messages"
    )
    role = models.CharField(max_length=12, choices=MessageRole.choices)
    text = models.TextField(blank=True)
    """Markdown; an answer's citations are [1], [2] … and stand in the evidence."""
    client_id = models.CharField(max_length=64, blank=True)
    """Chosen by the browser: a question sent twice by a bad connection is asked once."""
    position = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["conversation", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["conversation", "position"], name="one_message_per_position"
            ),
            models.UniqueConstraint(
                fields=["conversation", "client_id"],
                condition=~models.Q(client_id=""),
                name="one_message_per_client_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.text[:40]}"
