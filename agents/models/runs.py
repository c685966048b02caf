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
    shared_agent_id = models.UUIDField(null=True, blank=True)
    """In place of `agent`: another space's, which shares it. Of another space, so no key."""
    shared_space_id = models.BigIntegerField(null=True, blank=True)
    """The space that shares it, whose bases and model it runs with."""
    shared_agent_name = models.CharField(max_length=120, blank=True)
    """What it was called when it was asked: the share may be over."""
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    """With whose rights it reads; null: with a machine's."""
    principal = models.CharField(max_length=80, blank=True, db_index=True)
    """Without a person: with whose rights it reads, as `Actor.principal` says."""
    base_ids = models.JSONField(default=list, blank=True)
    """Bases the question was limited to; empty: all of the agent's."""
    document_ids = models.JSONField(default=list, blank=True)
    """Documents the question was limited to; empty: all of the bases."""
    inherited_document_ids = models.JSONField(default=list, blank=True)
    """Documents behind the earlier turns and memories that it was given when it began."""
    agent_version = models.PositiveIntegerField(default=1)
    """Number of the `AgentVersion` it runs with."""
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children"
    )
    """The run whose `call_agent` began this one."""
    parent_call_id = models.CharField(max_length=120, blank=True)
    depth = models.PositiveSmallIntegerField(default=0)
    """How many runs stand above it."""
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
    progress = models.PositiveIntegerField(default=0)
    """How far it was when a worker took it last: messages and ended calls."""
    progress_at = models.DateTimeField(null=True, blank=True)
    progress_epoch = models.PositiveIntegerField(default=0)
    """The epoch in which it was further than before; a run on which worker after worker dies ends."""
    cancel_requested = models.BooleanField(default=False)
    stop_reason = models.CharField(max_length=300, blank=True)
    """Why it is to stop, where that is not that a person wants it."""
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
        verbose_name_plural = _("runs")
        indexes: ClassVar = [
            models.Index(fields=["state", "heartbeat_at"], name="run_lease"),
            models.Index(
                fields=["shared_space_id", "state"],
                condition=models.Q(shared_agent_id__isnull=False),
                name="run_of_shared_agent",
            ),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(shared_agent_id__isnull=True)
                | models.Q(agent__isnull=True, shared_space_id__isnull=False),
                name="run_has_one_agent",
            ),
            models.UniqueConstraint(
                fields=["parent", "parent_call_id"],
                condition=models.Q(parent__isnull=False),
                name="one_child_run_per_call",
            ),
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(principal=""),
                name="run_is_somebodys",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} ({self.state})"

    @property
    def agent_called(self) -> str:
        """What its agent is called; blank when that is gone. A built-in one has its stored name."""
        return self.agent.name if self.agent else self.shared_agent_name


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
