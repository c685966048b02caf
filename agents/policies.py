"""Who may do what to agents, conversations and runs."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import (
    Action,
    Actor,
    Clause,
    InheritedPolicy,
    PersonalPolicy,
    RolePolicy,
    guest_clauses,
    register,
)
from accounts.constants import Role
from agents.models import Agent, AgentRun, Artifact, Conversation, Message


class AgentPolicy(RolePolicy):
    """Everybody asks agents; contributors make and own them; admins change all, built-ins too."""

    area = "agents"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.CONTRIBUTOR,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "share": Role.ADMIN,
    }
    owner_field = "created_by"
    owner_actions = frozenset({"change", "delete", "share"})

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Add that guests ask a shared agent; what it is told to do stays with its space."""
        shared = guest_clauses(actor, kind="agent", action=action) if action == "use" else []
        return (*super().clauses(actor, action), *shared)


class ConversationPolicy(PersonalPolicy):
    """A conversation is its person's alone, or that of the key or external person who began it.

    To `manage` is to open another person's, to read: only for owners, only where the space says so,
    and only through `agents.services.openings`, which writes each opening down. Lists, sockets,
    tools and everything else ask for `view` and never meet another person's conversation.
    """

    area = "conversations"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow everything to the person, and opening to owners where the space says so."""
        found = list(super().clauses(actor, action))
        if actor.is_machine and actor.role and action != "manage":
            where = Q(user__isnull=True, principal=actor.principal)
            found.append(Clause(effect="allow", reason="It began this one.", where=where))
        if action == "manage" and actor.kind == "user" and actor.role == Role.OWNER:
            reason = "This space lets its owners open others' conversations."
            where = Q(space__owners_may_open_conversations=True)
            found.append(Clause(effect="allow", reason=reason, where=where))
        return found


class MessagePolicy(InheritedPolicy):
    """A message is as open as its conversation."""

    area = "messages"
    parent_field = "conversation"
    parent_model = Conversation
    actions: ClassVar[Mapping[Action, Action]] = {**InheritedPolicy.actions, "manage": "manage"}


class RunPolicy(InheritedPolicy):
    """A run is as open as its conversation."""

    area = "runs"
    parent_field = "conversation"
    parent_model = Conversation
    actions: ClassVar[Mapping[Action, Action]] = {**InheritedPolicy.actions, "manage": "manage"}


class ArtifactPolicy(InheritedPolicy):
    """A published file is as open as its conversation."""

    area = "artifacts"
    parent_field = "conversation"
    parent_model = Conversation


register(Agent, AgentPolicy())
register(Conversation, ConversationPolicy())
register(Message, MessagePolicy())
register(AgentRun, RunPolicy())
register(Artifact, ArtifactPolicy())
