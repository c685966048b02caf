"""Who may do what to memories: each principal with their own, and nobody with another's."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import Action, Actor, Clause, InheritedPolicy, Policy, RolePolicy, register
from accounts.constants import Role
from agents.models import (
    FamiliarDocument,
    MemoryItem,
    MemoryOwner,
    MemorySettings,
    MemoryTopic,
)


class OwnerPolicy(Policy):
    """A memory is its principal's alone; no role opens it."""

    area = "memory"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow everything to the principal, as long as they are in the space."""
        if not actor.role:
            return ()
        where = Q(principal=f"{actor.kind}:{actor.id}")
        return (Clause(effect="allow", reason="Your own memory.", where=where),)


class PartPolicy(InheritedPolicy):
    """What belongs to a memory is as open as the memory."""

    area = "memory"
    parent_field = "owner"
    parent_model = MemoryOwner


class SettingsPolicy(RolePolicy):
    """Everybody may know how the space remembers; admins change it."""

    area = "memory_settings"
    minimum: ClassVar[Mapping[Action, Role]] = {"view": Role.VIEWER, "change": Role.ADMIN}


register(MemoryOwner, OwnerPolicy())
register(MemoryItem, PartPolicy())
register(MemoryTopic, PartPolicy())
register(FamiliarDocument, PartPolicy())
register(MemorySettings, SettingsPolicy())
