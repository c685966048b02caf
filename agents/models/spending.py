"""What models cost, and how much may be spent."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.constants import BudgetPeriod, BudgetSubject
from agents.models.agents import Agent
from agents.models.runs import AgentRun
from core.tenancy import SpaceOwned


class ModelUsage(SpaceOwned):
    """One call of a model, as it was metered: one row per `UsageReported` event."""

    run = models.ForeignKey(AgentRun, null=True, on_delete=models.SET_NULL, related_name="usages")
    asking_space_id = models.BigIntegerField(null=True)
    """Whose person asked, where that is another space: the agent is shared with it. No key: the
    figures stay when that space is deleted."""
    asking_run_id = models.UUIDField(null=True)
    """With `asking_space_id` in place of `run`: the run is the other space's."""
    seq = models.PositiveIntegerField(default=0)
    """Number of the event, so that it is counted once."""
    agent = models.ForeignKey(Agent, null=True, on_delete=models.SET_NULL, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    model = models.ForeignKey(
        "providers.AIModel", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    model_name = models.CharField(max_length=200)
    purpose = models.CharField(max_length=20)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    """In the currency of the space's prices."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "seq"], condition=Q(run__isnull=False), name="one_usage_per_event"
            ),
            models.UniqueConstraint(
                fields=["asking_run_id", "seq"],
                condition=Q(asking_run_id__isnull=False),
                name="one_usage_per_event_elsewhere",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["space", "created_at"], name="usage_of_space"),
            models.Index(fields=["agent", "created_at"], name="usage_of_agent"),
            models.Index(fields=["user", "created_at"], name="usage_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.model_name}: {self.input_tokens}+{self.output_tokens}"


class Budget(SpaceOwned):
    """The most that an agent, a person or the whole space may spend in a period."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    subject = models.CharField(max_length=12, choices=BudgetSubject.choices)
    agent = models.ForeignKey(
        Agent, null=True, blank=True, on_delete=models.CASCADE, related_name="budgets"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    """Null with subject `user`: holds for each person."""
    period = models.CharField(
        max_length=8, choices=BudgetPeriod.choices, default=BudgetPeriod.MONTH
    )
    max_tokens = models.PositiveBigIntegerField(_("tokens"), null=True, blank=True)
    max_cost = models.DecimalField(
        _("money"), max_digits=12, decimal_places=2, null=True, blank=True
    )
    is_enabled = models.BooleanField(default=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("budget")
        verbose_name_plural = _("budgets")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["space", "subject", "agent", "user", "period"],
                nulls_distinct=False,
                name="one_budget_per_subject",
            )
        ]

    def __str__(self) -> str:
        return f"budget of {self.subject}"
