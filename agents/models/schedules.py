"""Questions that an agent asks by the clock."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.models.agents import Agent
from core.tenancy import SpaceOwned


class AgentSchedule(SpaceOwned):
    """A question asked again and again; each time the answer is a conversation of its person."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="schedules")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    """With whose rights it reads."""
    name = models.CharField(_("name"), max_length=120)
    question = models.TextField(_("question"), max_length=20_000)
    base_ids = models.JSONField(default=list, blank=True)
    cron = models.CharField(_("when"), max_length=120)
    """Five fields: minute, hour, day of month, month, day of week."""
    timezone = models.CharField(_("time zone"), max_length=60, default="UTC")
    is_enabled = models.BooleanField(default=True)
    next_at = models.DateTimeField(null=True, blank=True)
    last_at = models.DateTimeField(null=True, blank=True)
    last_problem = models.CharField(max_length=500, blank=True)
    """Why the last one could not be asked."""
    failures = models.PositiveIntegerField(default=0)
    """In a row; after some of them it is switched off, visibly."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("schedule")
        verbose_name_plural = _("schedules")
        indexes: ClassVar = [
            models.Index(fields=["next_at"], condition=Q(is_enabled=True), name="schedule_due")
        ]

    def __str__(self) -> str:
        return self.name
