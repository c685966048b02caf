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
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="conversations"
    )
    """Null: a machine's, see `principal`."""
    principal = models.CharField(max_length=80, blank=True, db_index=True)
    """Without a person: the key or external person whose it is, as `Actor.principal` says."""
    title = models.CharField(_("title"), max_length=200, blank=True)
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.SET_NULL)
    """The agent chosen last."""
    shared_agent_id = models.UUIDField(null=True, blank=True)
    """In place of `agent`: another space's, which shares it. Of another space, so no key."""
    shared_space_id = models.BigIntegerField(null=True, blank=True)
    """The space that shares it."""
    base_ids = models.JSONField(default=list, blank=True)
    """Bases the last question was limited to; empty: all of the agent's."""
    schedule = models.ForeignKey(
        "agents.AgentSchedule", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The schedule that began it; its reports are conversations like any other."""
    is_internal = models.BooleanField(default=False)
    """It holds the questions of an agent to another one and is not listed."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_message_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-last_message_at"]
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        indexes: ClassVar = [
            models.Index(fields=["user", "-last_message_at"], name="conversation_newest")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(principal=""),
                name="conversation_is_somebodys",
            )
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
    mentions = models.JSONField(default=list, blank=True)
    """What a question names with @: `[{"kind": "base" | "document" | …, "id", "name"}]`."""
    suggestion_set = models.ForeignKey(
        "agents.SuggestionSet", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The question was not typed but taken from these suggestions."""
    suggestion_key = models.CharField(max_length=40, blank=True)
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
