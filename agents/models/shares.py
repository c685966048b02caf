"""Agents that are open to an organisation."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from accounts.grants import Share
from agents.models.agents import Agent
from core.tenancy import SpaceOwned


class AgentShare(Share):
    """An agent that other spaces may ask; never more than that."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="shares")

    class Meta(Share.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "organisation"], name="one_share_per_agent")
        ]

    def __str__(self) -> str:
        return f"{self.agent} in {self.organisation}"


class HiddenAgent(SpaceOwned):
    """A shared agent that a receiving space does not want to see."""

    agent_id = models.UUIDField()
    """Of another space, so no key."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "agent_id"], name="one_hidden_row_per_agent")
        ]

    def __str__(self) -> str:
        return str(self.agent_id)
