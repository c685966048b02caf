"""Suggested questions, and what people did with them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from agents.constants import SuggestionAction, SuggestionPlace, SuggestionState
from agents.models.agents import Agent
from agents.models.conversations import Message
from core.tenancy import SpaceOwned


class SuggestionSet(SpaceOwned):
    """Questions offered at one place; cached by answer, place, configuration and language."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    """For whom: what they may see differs."""
    message = models.ForeignKey(
        Message, null=True, blank=True, on_delete=models.CASCADE, related_name="suggestion_sets"
    )
    """The answer behind which they stand; null for starters."""
    place = models.CharField(max_length=12, choices=SuggestionPlace.choices)
    config_hash = models.CharField(max_length=64)
    """Of the agent's configuration in force (and the bases, for starters)."""
    locale = models.CharField(max_length=20)
    state = models.CharField(
        max_length=12, choices=SuggestionState.choices, default=SuggestionState.GENERATING
    )
    reason = models.CharField(max_length=300, blank=True)
    """Why there are none: the rule that suppressed them, or what failed."""
    lease_until = models.DateTimeField(null=True, blank=True)
    generation = models.PositiveIntegerField(default=1)
    """Grows each time new ones are asked for."""
    questions = models.JSONField(default=list, blank=True)
    """`[{"key", "text", "source": "curated" | "knowledge" | "generated", "category"}]`"""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["message", "place", "config_hash", "locale"],
                condition=Q(message__isnull=False),
                name="one_suggestion_set_per_answer",
            ),
            models.UniqueConstraint(
                fields=["agent", "user", "place", "config_hash", "locale"],
                condition=Q(message__isnull=True),
                name="one_starter_set_per_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.place} ({self.state})"


class SuggestionEvent(SpaceOwned):
    """Something a person did with suggestions."""

    suggestion_set = models.ForeignKey(
        SuggestionSet, on_delete=models.CASCADE, related_name="events"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    action = models.CharField(max_length=12, choices=SuggestionAction.choices)
    question_key = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.action
