"""Whether memory is on: the space's switch, the person's, the agent's. All three must agree."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.configuration import AgentConfig
from agents.constants import MemoryWriting
from agents.memory.owners import find_owner
from agents.models import MemoryOwner, MemorySettings


@dataclass(frozen=True, kw_only=True)
class MemoryAccess:
    """What memory may do for one actor with one agent."""

    refusal: str
    """Why nothing is read or written, for people; empty when memory is on."""
    settings: MemorySettings | None
    owner: MemoryOwner | None
    """None before anything was remembered; for a run also where the space keeps no memories."""

    @property
    def is_on(self) -> bool:
        """Whether memory is read and written."""
        return not self.refusal

    @property
    def learns(self) -> bool:
        """Whether conversations are read for what is worth keeping."""
        settings = self.settings
        return self.is_on and settings is not None and settings.writing == MemoryWriting.AUTO


def memory_of(actor: Actor, config: AgentConfig | None = None) -> MemoryAccess:
    """Return what memory may do; without a configuration the agent's switch is left aside."""
    settings = MemorySettings.objects.first()
    # A run asks for what it may do; the person's page shows their own switch all the same.
    matters = config is None or _keeps(settings)
    owner = find_owner(actor) if matters else None
    refusal = _refusal(settings, owner, config)
    if actor.user_id is None:
        refusal = _("Only people have a memory here.")
    return MemoryAccess(refusal=refusal, settings=settings, owner=owner)


def is_on_in_space() -> bool:
    """Say whether the space keeps memories at all."""
    return _keeps(MemorySettings.objects.first())


def _keeps(settings: MemorySettings | None) -> bool:
    return settings is not None and settings.is_enabled


def _refusal(
    settings: MemorySettings | None, owner: MemoryOwner | None, config: AgentConfig | None
) -> str:
    if not _keeps(settings):
        return _("Memory is off in this space; an administrator can turn it on.")
    if owner is not None and not owner.is_enabled:
        return _("You turned your memory off.")
    if config is not None and config.memory_enabled is False:
        return _("This agent works without memory.")
    return ""
