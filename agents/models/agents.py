"""Agents: who answers, with what, from where."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.configuration import AgentConfig, read_config
from agents.constants import AgentMode, BaseScope
from core.tenancy import SpaceOwned


class Agent(SpaceOwned):
    """A way to answer questions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    builtin_key = models.CharField(max_length=60, blank=True)
    """Its name in `builtin_agents.yaml`; blank for agents that people made."""
    name = models.CharField(_("name"), max_length=120)
    description = models.TextField(_("description"), blank=True)
    mode = models.CharField(max_length=20, choices=AgentMode.choices, default=AgentMode.REACT)
    instructions = models.TextField(_("instructions"), blank=True, max_length=20000)
    chat_model = models.ForeignKey(
        "providers.AIModel", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Blank: the space's default chat model."""
    base_scope = models.CharField(max_length=20, choices=BaseScope.choices, default=BaseScope.ALL)
    bases = models.ManyToManyField("knowledge.KnowledgeBase", blank=True, related_name="+")
    config = models.JSONField(default=dict, blank=True)
    """What differs from the defaults of `agents.configuration.AgentConfig`."""
    version = models.PositiveIntegerField(default=1)
    """Number of the `AgentVersion` that the row equals."""
    is_enabled = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=100)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["position", "name"]
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["space", "builtin_key"],
                condition=~Q(builtin_key=""),
                name="one_builtin_agent_per_space",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def settings(self) -> AgentConfig:
        """The configuration, with defaults filled in."""
        return read_config(self.config)


class AgentVersion(SpaceOwned):
    """An agent as it was saved once: what ran can be read, compared and brought back."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    snapshot = models.JSONField()
    """Name, description, mode, instructions, chat_model_id, base_scope, base_ids, config."""
    note = models.CharField(max_length=300, blank=True)
    restored_from = models.PositiveIntegerField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["agent", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "number"], name="one_agent_version_per_number")
        ]

    def __str__(self) -> str:
        return f"version {self.number}"
