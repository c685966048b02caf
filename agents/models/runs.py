"""Runs: durable state around the loop. Every row is written under the run's lease epoch."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.constants import CallState, RunState
from agents.models.agents import Agent
from agents.models.conversations import Conversation, Message
from core.tenancy import SpaceOwned


class AgentRun(SpaceOwned):
    """One answer in the making, or made. It belongs to a worker, never to a browser tab."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="runs")
    question = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="run")
    answer = models.OneToOneField(
        Message, null=True, on_delete=models.SET_NULL, related_name="answered_run"
    )
    agent = models.ForeignKey(Agent, null=True, on_delete=models.SET_NULL, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    """With whose rights it reads."""
    base_ids = models.JSONField(default=list, blank=True)
    """Bases the question was limited to; empty: all of the agent's."""
    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.QUEUED)
    outcome = models.CharField(max_length=30, blank=True)
    reason = models.TextField(blank=True)
    """Why it ended as it did, for people."""
    model_name = models.CharField(max_length=200, blank=True)
    is_extractive = models.BooleanField(default=False)
    """The answer is made of sentences of the documents, by no language model; pages say so."""
    job_id = models.UUIDField(null=True, blank=True)
    """The job that carries it; housekeeping makes a new one when it is gone."""
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_epoch = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    last_seq = models.PositiveIntegerField(default=0)
    loop_state = models.JSONField(default=dict, blank=True)
    """The engine's state at the end of the last round, messages as hashes of `MessageBlob`."""
    usage = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("run")
        indexes: ClassVar = [models.Index(fields=["state", "heartbeat_at"], name="run_lease")]

    def __str__(self) -> str:
        return f"run {self.pk} ({self.state})"


class RunEvent(SpaceOwned):
    """One event of a run, append-only. `seq` has no gap; a folded row spans `seq`..`seq_to`."""

    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    seq_to = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    data = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["run", "seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "seq"], name="one_event_per_seq")
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class ToolCall(SpaceOwned):
    """The journal: what was begun, and how it ended, so that nothing is done twice."""

    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="tool_calls")
    call_id = models.CharField(max_length=120)
    name = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    arguments_hash = models.CharField(max_length=64)
    state = models.CharField(max_length=12, choices=CallState.choices, default=CallState.STARTED)
    side_effects = models.CharField(max_length=12, default="none")
    result = models.JSONField(default=dict, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "call_id"], name="one_journal_row_per_call")
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.call_id}: {self.state}"


class Approval(SpaceOwned):
    """A question to a person: may this call run? Saved state, not a waiting coroutine."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="approvals")
    call_id = models.CharField(max_length=120)
    tool_name = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    decision_hash = models.CharField(max_length=64)
    """Hash of tool, arguments and principal: a decision for another call does not fit."""
    decision = models.CharField(max_length=12, blank=True)
    due_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "call_id"], name="one_approval_per_call")
        ]

    def __str__(self) -> str:
        return f"approval of {self.tool_name}: {self.decision or 'open'}"


class MessageBlob(SpaceOwned):
    """A message of a model conversation, stored once per space and never across spaces."""

    content_hash = models.CharField(max_length=64)
    content = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "content_hash"], name="one_blob_per_hash")
        ]

    def __str__(self) -> str:
        return self.content_hash[:12]
