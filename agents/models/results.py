"""What tools leave behind: results too long for a model, and files for people."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.models.conversations import Conversation
from agents.models.runs import AgentRun
from core.tenancy import SpaceOwned


class StoredResult(SpaceOwned):
    """The whole output of a call of which the model read only head and tail."""

    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="stored_results")
    call_id = models.CharField(max_length=120)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "call_id"], name="one_stored_result_per_call")
        ]

    def __str__(self) -> str:
        return f"result of {self.call_id}"


class Artifact(SpaceOwned):
    """A file that an agent made for the person. A name published again is a new version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="artifacts"
    )
    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="artifacts")
    call_id = models.CharField(max_length=120)
    name = models.CharField(_("name"), max_length=255)
    version = models.PositiveIntegerField(default=1)
    media_type = models.CharField(max_length=120)
    size = models.PositiveBigIntegerField()
    """Bytes."""
    content_hash = models.CharField(max_length=64)
    """Key in `knowledge.storage`."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["conversation", "name", "-version"]
        verbose_name = _("file")
        verbose_name_plural = _("files")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["conversation", "name", "version"], name="one_artifact_per_version"
            ),
            models.UniqueConstraint(fields=["run", "call_id"], name="one_artifact_per_call"),
        ]

    def __str__(self) -> str:
        return self.name
