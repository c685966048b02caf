"""What was found when an answer's sentences were held against the passages they cite."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from agents.constants import VerdictMethod, VerdictState
from agents.models.conversations import Message
from core.tenancy import SpaceOwned


class SentenceVerdict(SpaceOwned):
    """The verdict on one sentence: characters `start` to `end` of the answer's text.

    Read it through `agents.verdicts.reading`: its reasons quote sources, on which permission is
    asked again.
    """

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="verdicts")
    index = models.PositiveIntegerField()
    """Place among the sentences that claim something, from 0."""
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=VerdictState.choices)
    method = models.CharField(max_length=8, choices=VerdictMethod.choices)
    reasons = models.JSONField(default=list, blank=True)
    """`[{"code", "claimed", "found"}]`; `found` is text of a source."""
    markers = models.JSONField(default=list, blank=True)
    """Numbers of the sources that it was held against."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["message", "index"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "index"], name="one_verdict_per_sentence"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="verdict_is_on_some_text"),
        ]

    def __str__(self) -> str:
        return f"sentence {self.index}: {self.state}"
