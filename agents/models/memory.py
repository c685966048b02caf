"""Long-term memory: what the platform keeps of a person over conversations, in one space."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.constants import MemoryKind, MemoryOrigin, MemoryState, MemoryWriting
from agents.models.conversations import Conversation, Message
from agents.models.runs import AgentRun
from core.tenancy import SpaceOwned


class MemorySettings(SpaceOwned):
    """How a space remembers. A space without a row remembers nothing."""

    is_enabled = models.BooleanField(_("remember across conversations"), default=False)
    writing = models.CharField(
        max_length=20, choices=MemoryWriting.choices, default=MemoryWriting.EXPLICIT
    )
    instructions = models.TextField(blank=True, max_length=1000)
    debounce_seconds = models.PositiveIntegerField(default=90)
    min_interval_seconds = models.PositiveIntegerField(default=300)
    capacity = models.PositiveIntegerField(default=200)
    """Items per person."""
    promote_after = models.PositiveIntegerField(default=3)
    """Conversations about a topic after which it becomes an interest."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space"], name="one_memory_settings_per_space")
        ]

    def __str__(self) -> str:
        return f"memory of space {self.space_id}"


class MemoryOwner(SpaceOwned):
    """One principal's memory in a space: its switch, and how far distillation has read."""

    principal = models.CharField(max_length=120)
    """`user:<id>`; other kinds of principals have their own prefix."""
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    is_enabled = models.BooleanField(default=True)
    """False: the person opted out; nothing is read or written."""
    read_until = models.DateTimeField(null=True, blank=True)
    """Messages up to here were distilled; the watermark."""
    distilled_at = models.DateTimeField(null=True, blank=True)
    consolidated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "principal"], name="one_memory_per_principal")
        ]

    def __str__(self) -> str:
        return self.principal


class MemoryItem(SpaceOwned):
    """One thing that is remembered."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(MemoryOwner, on_delete=models.CASCADE, related_name="items")
    kind = models.CharField(max_length=12, choices=MemoryKind.choices)
    topic = models.CharField(max_length=80, blank=True)
    topic_key = models.CharField(max_length=80, blank=True)
    """The topic normalised; an item with the same key supersedes the older one."""
    text = models.CharField(_("text"), max_length=300)
    importance = models.PositiveSmallIntegerField(default=3)
    """1 to 5."""
    origin = models.CharField(max_length=12, choices=MemoryOrigin.choices)
    state = models.CharField(max_length=12, choices=MemoryState.choices, default=MemoryState.ACTIVE)
    valid_from = models.DateTimeField(null=True, blank=True)
    invalid_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="supersedes"
    )
    use_count = models.PositiveIntegerField(default=0)
    used_at = models.DateTimeField(null=True, blank=True)
    conversation = models.ForeignKey(
        Conversation, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    message = models.ForeignKey(
        Message, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The words it was taken from."""
    document_ids = models.JSONField(default=list, blank=True)
    """Documents it says something about; shown only to who may still see them all."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-importance", "-updated_at"]
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["owner", "kind", "topic_key"],
                condition=Q(state="active") & ~Q(topic_key=""),
                name="one_active_memory_per_topic",
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]


class MemoryTombstone(SpaceOwned):
    """The hash of something forgotten: it isn't learnt again unless the person says so."""

    owner = models.ForeignKey(MemoryOwner, on_delete=models.CASCADE, related_name="tombstones")
    text_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "text_hash"], name="one_tombstone_per_hash")
        ]

    def __str__(self) -> str:
        return self.text_hash[:12]


class MemoryTopic(SpaceOwned):
    """How often a person came back to a subject."""

    owner = models.ForeignKey(MemoryOwner, on_delete=models.CASCADE, related_name="topics")
    key = models.CharField(max_length=80)
    name = models.CharField(max_length=80)
    conversation_ids = models.JSONField(default=list, blank=True)
    """Conversations in which it was counted."""
    is_promoted = models.BooleanField(default=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "key"], name="one_topic_per_key")
        ]

    def __str__(self) -> str:
        return self.name


class FamiliarDocument(SpaceOwned):
    """A document that answers to this person cited more than once."""

    owner = models.ForeignKey(MemoryOwner, on_delete=models.CASCADE, related_name="documents")
    document = models.ForeignKey("knowledge.Document", on_delete=models.CASCADE, related_name="+")
    citations = models.PositiveIntegerField(default=0)
    cited_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "document"], name="one_row_per_document")
        ]

    def __str__(self) -> str:
        return f"{self.citations} citations"


class MemoryUse(SpaceOwned):
    """That a run was given an item; the answer shows it."""

    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="memory_uses")
    item = models.ForeignKey(MemoryItem, on_delete=models.CASCADE, related_name="uses")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "item"], name="one_memory_use_per_run")
        ]

    def __str__(self) -> str:
        return f"use in {self.run_id}"
