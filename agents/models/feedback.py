"""What people think of answers, and questions that found none."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.constants import FeedbackState, UnansweredState
from agents.models.conversations import Message
from agents.models.runs import AgentRun
from core.tenancy import SpaceOwned


class AnswerFeedback(SpaceOwned):
    """A person's thumb on an answer of theirs, told to who looks after the bases behind it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="feedback")
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    is_up = models.BooleanField()
    reasons = models.JSONField(default=list, blank=True)
    """Values of `FeedbackReason`."""
    words = models.TextField(blank=True)
    base_ids = models.JSONField(default=list, blank=True)
    """The bases that the answer was looked for in, whose editors read this."""
    state = models.CharField(
        max_length=10, choices=FeedbackState.choices, default=FeedbackState.OPEN
    )
    note = models.CharField(max_length=500, blank=True)
    """Why it was dismissed."""
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    handled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-updated_at", "pk"]
        verbose_name = _("feedback")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "user"], name="one_feedback_per_answer")
        ]
        indexes: ClassVar = [models.Index(fields=["state", "-updated_at"], name="feedback_open")]

    def __str__(self) -> str:
        return "👍" if self.is_up else "👎"


class UnansweredQuestion(SpaceOwned):
    """A question to which nothing was found; questions about the same thing share a topic."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.OneToOneField(AgentRun, on_delete=models.CASCADE, related_name="unanswered")
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    """Null: a machine asked."""
    question = models.TextField()
    base_ids = models.JSONField(default=list, blank=True)
    topic_id = models.UUIDField(default=uuid.uuid4, db_index=True)
    terms = models.JSONField(default=list, blank=True)
    """What the question is about, by which it is compared."""
    vector = models.JSONField(default=list, blank=True)
    vector_identity = models.CharField(max_length=200, blank=True)
    state = models.CharField(
        max_length=10, choices=UnansweredState.choices, default=UnansweredState.OPEN
    )
    note = models.CharField(max_length=500, blank=True)
    """Why it was dismissed."""
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    faq_entry_id = models.UUIDField(null=True, blank=True)
    """The entry that answers it; opaque, it may be gone."""
    told_at = models.DateTimeField(null=True, blank=True)
    """Since when the asker knows."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "pk"]
        verbose_name = _("unanswered question")
        indexes: ClassVar = [models.Index(fields=["state", "-created_at"], name="unanswered_open")]

    def __str__(self) -> str:
        return self.question[:60]
