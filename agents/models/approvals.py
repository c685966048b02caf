"""Questions to people: may this call run? Saved state, not a waiting coroutine."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.configuration import DEFAULT_APPROVAL_SECONDS
from agents.constants import Deciders, DecisionState
from agents.models.runs import AgentRun
from core.tenancy import SpaceOwned


class Approval(SpaceOwned):
    """One `ApprovalRequested` event and what became of it. Decided once, used once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="approvals")
    requested_seq = models.PositiveIntegerField(default=0)
    """Number of the event that asked; the key under which the request is stored once."""
    call_id = models.CharField(max_length=120)
    tool_name = models.CharField(max_length=120)
    title = models.CharField(max_length=400, blank=True)
    kind = models.CharField(max_length=12, default="call")
    """`recovery`: the call was begun by a worker that died, its outcome is unknown."""
    reason = models.TextField(blank=True)
    """Why a person is asked."""
    risks = models.JSONField(default=list, blank=True)
    arguments = models.JSONField(default=dict)
    decision_hash = models.CharField(max_length=64)
    """Hash of tool, arguments, principal, call and kind: a decision for another call won't fit."""
    decision = models.CharField(
        max_length=12, choices=DecisionState.choices, default=DecisionState.OPEN
    )
    edited_arguments = models.JSONField(null=True, blank=True)
    comment = models.TextField(blank=True)
    due_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Null when the clock or the end of the run decided."""
    applied_at = models.DateTimeField(null=True, blank=True)
    """When the run took the decision up."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        verbose_name = _("approval")
        verbose_name_plural = _("approvals")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "requested_seq"], name="one_approval_per_request"
            ),
            models.UniqueConstraint(
                fields=["run", "call_id"],
                condition=Q(decision=""),
                name="one_open_approval_per_call",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=Q(decision=""), name="approval_due")
        ]

    def __str__(self) -> str:
        return f"approval of {self.tool_name}: {self.decision or 'open'}"


class ApprovalSettings(SpaceOwned):
    """Who decides in a space, and how long a request waits. A space without a row has these."""

    deciders = models.CharField(
        _("who decides"), max_length=20, choices=Deciders.choices, default=Deciders.PERSON_OR_ADMINS
    )
    named_people = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="+")
    """Members who decide beside those of `deciders`."""
    timeout_seconds = models.PositiveIntegerField(
        _("how long a request waits"), default=DEFAULT_APPROVAL_SECONDS
    )
    ask_for_high_risk = models.BooleanField(_("always ask before risky calls"), default=True)
    """The built-in patterns (recursive delete, DROP …) ask even where a tool runs on its own."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space"], name="one_approval_settings_per_space")
        ]

    def __str__(self) -> str:
        return f"approvals of space {self.space_id}"
